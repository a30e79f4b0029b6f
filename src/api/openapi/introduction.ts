/** What the reference begins with, in Markdown: all that holds for more than one operation. */
export const introduction = `Draft, schedule and publish posts on the accounts that a workspace has connected, and read what became of them.

## Calling it

Requests and answers are JSON in UTF-8; a body may have 1 MiB. Every request carries \`Authorization: Bearer <API key>\`. A key
opens one workspace and does what its scopes allow; \`security\` names the scope that each operation needs. Notifications are also
served to people who have logged in, by a cookie.

Times are ISO 8601 and have a zone; answers are in UTC. Ids are UUIDs. Lists are \`{ "data": [...] }\`, newest first.

A post goes out on its own once it is scheduled: within a second of its time as a rule, within 60 seconds at most, and once on
each of its targets at most. Read the post, or the notifications, to see what became of it.

## Errors

Whatever is not a success is an RFC 9457 problem, \`application/problem+json\`. Act on its \`code\`, show its \`detail\` to people, and name
its \`request_id\` when you ask for help. Beside the problems that each operation lists, any request may meet \`not_found\` for an
address that does not exist, \`method_not_allowed\` (405, with \`Allow\`), \`request_timeout\` (408), \`expectation_failed\` (417),
\`headers_too_large\` (431) and, behind a proxy, \`https_required\` (403).

## Trying again

Reading and updating may be repeated as they are. So that creating, publishing and deleting may be repeated after a lost answer, send
an \`Idempotency-Key\`: whatever carries the same key is carried out once. After 409, 429 and 503 wait as \`Retry-After\` says.

A workspace may send 300 requests a minute unless the operator has set another number; \`RateLimit\` says what is left of them.

## Versions

This is version 1, under \`/v1\`. Within it, answers may gain members and headers, and \`code\` and \`type\` new values; leave aside what you
don't know. Whatever would break a client comes under \`/v2\`.`
