import { created, draft } from "./expectedResponses.ts"
import { type Bytes, casesWith, type HostileCase, listCases } from "./hostileCase.ts"
import { createUnder, createWith, jsonType, update } from "./requestBytes.ts"

/** Texts that have a meaning in SQL, HTML, a shell and so on, and none in a post. */
export const verbatimTexts = {
  "SQL that ends the statement": "'; DROP TABLE posts; --",
  "SQL that selects more": "' UNION SELECT hash FROM api_keys --",
  "placeholders of SQL and printf": "$1 $2 ${3} %s :name ? @p1",
  "a dollar-quoted string of PostgreSQL": "$$; DELETE FROM posts; $$",
  "a script in HTML": "<script>alert(1)</script><img src=x onerror=alert(1)>",
  "template expressions": "{{7*7}} ${7*7} <%= 7*7 %> #{7*7}",
  "shell commands": "$(rm -rf /) `id` | cat /etc/passwd; && ||",
  "line breaks that would add headers": "a\r\nSet-Cookie: a=b\r\n\r\n<html>",
  "bidirectional control characters": "\u202eevil\u202c \u2066a\u2069",
  "terminal escape sequences": "\u001b]0;evil\u0007\u001b[2J",
  "every control character but NUL": `a${Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1)).join("")}`,
  "Unicode noncharacters": "a\ufffe\uffff"
}

export const injection: ReadonlyArray<HostileCase> = [
  ...casesWith(created, (content) => createWith({ content }), verbatimTexts),
  ...casesWith(created, createWith, {
    "PostgreSQL arrays in tags": { tags: ['{"a","b"}', "NULL", "\\", '"', ",", "{}"] },
    "__proto__ as a tag": { tags: ["__proto__", "constructor"] },
    "JSON in an override": { platform_overrides: { bluesky: '{"$type":"app.bsky.feed.post"}' } },
    "SQL in a setting": { platform_settings: { youtube: { title: "'); DELETE FROM posts; --" } } }
  }),
  ...listCases(
    (send: Bytes) => send,
    [
      "SQL in an idempotency key",
      createUnder([jsonType, "Idempotency-Key: '; DROP TABLE idempotency_keys; --"]),
      { ...created, changes: { ...created.changes, idempotency_keys: [1, 0] } }
    ],
    [
      "SQL in an update",
      update({ content: "'); DELETE FROM posts; --", tags: ["'"] }),
      { ...draft, changes: { posts: [1, 1] } }
    ]
  )
]
