#!/bin/sh
# $1 is new or continue.
mkdir -p /tmp/scripted
echo "$1: installed $(cat /opt/scripted/installed), model $SEATRIAL_MODEL"
sed -n 's/^\$ //p' "$SEATRIAL_INSTRUCTION_FILE" >/tmp/scripted/commands
sh -x /tmp/scripted/commands 2>>/tmp/scripted/log
status=$?
cat >/tmp/scripted/trajectory.json <<END
{"schema_version": "ATIF-v1.4", "session_id": "s", "agent": {"name": "scripted", "version": "1.0", "model_name": "$SEATRIAL_MODEL"},
 "steps": [{"step_id": 1, "source": "agent", "message": "done"}],
 "final_metrics": {"total_prompt_tokens": 10, "total_completion_tokens": 2}}
END
exit $status
