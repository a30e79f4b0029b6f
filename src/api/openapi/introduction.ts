export const introduction = `Draft, schedule and publish posts on the accounts that a workspace has connected, and read the results.

## Requests

Requests and responses are JSON in UTF-8; a request body can have up to 1 MiB. Send \`Authorization: Bearer <API key>\` with every request. An API
key gives access to one workspace, within its scopes; \`security\` names the scope that each operation requires, and \`posts:write\`
includes \`posts:delete\` for now. People who have logged in send a session cookie instead. Their role in the workspace takes the place of
scopes: a viewer reads; an editor also does everything with posts and media; an admin also manages accounts, API keys, webhooks and
members.

Times are ISO 8601 with a zone, in the basic or the extended format; responses use UTC. In an optional member of a body, null means
that it is absent, unless the member says otherwise. Ids are UUIDs. Lists are \`{ "data": [...] }\`, newest first.

A scheduled post is published at its time: usually within a second, at most 60 seconds late, and at most once on each of its
targets. Read the post or the notifications to find out the result, list the events, or have them sent to a webhook.

## Errors

Every response except a success is a problem (RFC 9457) of the type \`application/problem+json\`. Act on its \`code\`, show its \`detail\` to people, and
include its \`request_id\` when you ask for help. In addition to the problems that an operation lists, every request can lead to
\`not_found\` (404) for an unknown URL, \`method_not_allowed\` (405, with \`Allow\`), \`request_timeout\` (408), \`expectation_failed\` (417),
\`headers_too_large\` (431) and, behind a proxy, \`https_required\` (403).

## Retries and idempotency

Reads are safe to retry. To retry creating, changing, publishing and deleting safely, send an \`Idempotency-Key\`: requests with the
same key are executed once. After a 409, 429 or 503, wait for the number of seconds in \`Retry-After\`.

A workspace can send 300 requests a minute unless the operator has configured another limit, counted over the last 60 seconds; \`RateLimit\` reports how many remain.

## Changes by several people

A response with one post has an \`ETag\`, which stands for the post's \`revision\` and \`status\`. Send it as \`If-Match\` to change, publish
or delete the post only as you have read it: if it has changed since, or was scheduled or begun to be published, the response is a
412 and nothing happens. \`"3"\`, with the \`revision\` alone, ignores the status.

An API key that requires approval only drafts. What it schedules stays a draft, and the workspace is notified. It changes and
deletes only drafts that it created, and needs \`If-Match\`, and not \`*\`, for those that wait for approval.

## Versions

This is version 1, under \`/v1\`. Within a version, responses may gain members and headers, and \`code\` and \`type\` may gain values; ignore what you
don't know. Breaking changes get a new version, such as \`/v2\`.`
