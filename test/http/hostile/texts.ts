import { created, onePost } from "./answers.ts"
import type { HostileCase } from "./case.ts"
import { changing, creating, good } from "./request.ts"

const json = "Content-Type: application/json"

/** Texts that mean something where they are not taken for texts. */
export const verbatim = {
  "SQL that ends the statement": "'; DROP TABLE posts; --",
  "SQL that asks for more": "' UNION SELECT hash FROM api_keys --",
  "a placeholder of the database's": "$1 $2 ${3} %s :name ? @p1",
  "a dollar quote": "$$; DELETE FROM posts; $$",
  "a script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
  "a template": "{{7*7}} ${7*7} <%= 7*7 %> #{7*7}",
  "a shell's command": "$(rm -rf /) `id` | cat /etc/passwd; && ||",
  "line breaks that would make headers": "a\r\nSet-Cookie: a=b\r\n\r\n<html>",
  "text from right to left": "\u202eevil\u202c \u2066a\u2069",
  "a terminal's orders": "\u001b]0;evil\u0007\u001b[2J",
  "every control character but NUL": `a${Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1)).join("")}`,
  "what is not a character": "a\ufffe\uffff"
}

export const texts: ReadonlyArray<HostileCase> = [
  ...Object.entries(verbatim).map(([title, content]) => ({
    title,
    send: creating(good({ content })),
    answers: [created],
    changes: onePost
  })),
  {
    title: "an array of PostgreSQL's in a tag",
    send: creating(good({ tags: ['{"a","b"}', "NULL", "\\", '"', ",", "{}"] })),
    answers: [created],
    changes: onePost
  },
  {
    title: "the prototype in a tag",
    send: creating(good({ tags: ["__proto__", "constructor"] })),
    answers: [created],
    changes: onePost
  },
  {
    title: "JSON in an override",
    send: creating(good({ platform_overrides: { bluesky: '{"$type":"app.bsky.feed.post"}' } })),
    answers: [created],
    changes: onePost
  },
  {
    title: "SQL in a setting",
    send: creating(good({ platform_settings: { youtube: { title: "'); DELETE FROM posts; --" } } })),
    answers: [created],
    changes: onePost
  },
  {
    title: "SQL in an idempotency key",
    send: creating(good(), [json, "Idempotency-Key: '; DROP TABLE idempotency_keys; --"]),
    answers: [created],
    changes: { idempotency_keys: [1, 0], post_targets: [1, 0], posts: [1, 0] }
  },
  {
    title: "SQL in a change",
    send: changing({ content: "'); DELETE FROM posts; --", tags: ["'"] }),
    answers: [{ status: 200, body: /^\{"data":\{"id":"[-0-9a-f]{36}","status":"draft",/ }],
    changes: { posts: [1, 1] }
  }
]
