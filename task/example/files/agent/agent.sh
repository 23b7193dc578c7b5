#!/bin/sh
# The agent itself; $1 is new or continue. This one does the lines of its instruction that begin with "$ ", and is here to be
# replaced by the call of a real one.
mkdir -p /tmp/@NAME@
echo "$1: the task is $SEATRIAL_TASK"
sed -n 's/^\$ //p' "$SEATRIAL_INSTRUCTION_FILE" >/tmp/@NAME@/commands
sh -x /tmp/@NAME@/commands 2>>/tmp/@NAME@/log
status=$?
# What it did, in the ATIF format: tokens and costs in it get into run.json.
cat >/tmp/@NAME@/trajectory.json <<END
{"schema_version": "ATIF-v1.4", "session_id": "1", "agent": {"name": "@NAME@", "version": "0.1", "model_name": "$SEATRIAL_MODEL"},
 "steps": [{"step_id": 1, "source": "agent", "message": "done"}],
 "final_metrics": {"total_prompt_tokens": 0, "total_completion_tokens": 0}}
END
exit $status
