#!/bin/sh
# Synthetic: acceptable in another way. It looks at more, refunds in two parts, and words the mail otherwise.
set -e
mcp get_customer '{"id": "cus_ada"}'
mcp get_invoice '{"id": "inv_1002"}'
mcp refund_invoice '{"id": "inv_1002", "amount": 25, "reason": "damaged"}'
mcp refund_invoice '{"id": "inv_1002", "amount": 15, "reason": "damaged"}'
wget -q -O - --header 'Content-Type: application/json' \
	--post-data '{"to": "ada@example.org", "subject": "Lamp", "text": "Sorry about the lamp: the refund is on its way."}' \
	http://fakes:8000/http/mail/v1/messages
