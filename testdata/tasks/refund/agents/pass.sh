#!/bin/sh
# Reads before it writes, refunds the one invoice in full, and tells the customer.
set -e
mcp list_invoices '{"customer": "cus_ada"}'
mcp refund_invoice '{"id": "inv_1002", "amount": 40, "reason": "damaged"}'
wget -q -O - --header 'Content-Type: application/json' \
	--post-data '{"to": "ada@example.org", "subject": "Your refund", "text": "We have refunded 40 for the broken lamp."}' \
	http://fakes:8000/http/mail/v1/messages
