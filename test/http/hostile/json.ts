import { aText, created, notJson, onePost, unreadable, wrong } from "./answers.ts"
import type { HostileCase } from "./case.ts"
import { creating, good, written } from "./request.ts"

export const json: ReadonlyArray<HostileCase> = [
  { title: "an empty body", send: creating(""), answers: [unreadable("The body is empty; expected a JSON object")] },
  { title: "nothing but spaces", send: creating("   "), answers: [notJson("Unexpected end of JSON input")] },
  {
    title: "a text that is cut off",
    send: creating('{"content":"a'),
    answers: [notJson("Unterminated string in JSON at position 13 (line 1 column 14)")]
  },
  {
    title: "an object that is cut off",
    send: creating('{"content":"a"'),
    answers: [notJson("Expected ',' or '}' after property value in JSON at position 14 (line 1 column 15)")]
  },
  {
    title: "a comma before the end",
    send: creating('{"content":"a",}'),
    answers: [notJson("Expected double-quoted property name in JSON at position 15 (line 1 column 16)")]
  },
  {
    title: "single quotes",
    send: creating("{'content':'a'}"),
    answers: [notJson("Expected property name or '}' in JSON at position 1 (line 1 column 2)")]
  },
  {
    title: "a comment",
    send: creating('{"content":"a"/* b */}'),
    answers: [notJson("Expected ',' or '}' after property value in JSON at position 14 (line 1 column 15)")]
  },
  {
    title: "a name without quotes",
    send: creating('{content:"a"}'),
    answers: [notJson("Expected property name or '}' in JSON at position 1 (line 1 column 2)")]
  },
  {
    title: "NaN",
    send: creating(written("tags", "[NaN]")),
    answers: [notJson('Unexpected token \'N\', ..."],"tags":[NaN]}" is not valid JSON')]
  },
  {
    title: "Infinity",
    send: creating(written("tags", "[Infinity]")),
    answers: [notJson('Unexpected token \'I\', ..."],"tags":[Infinity]}" is not valid JSON')]
  },
  {
    title: "undefined",
    send: creating(written("group_id", "undefined")),
    answers: [notJson('Unexpected token \'u\', ..."group_id":undefined}" is not valid JSON')]
  },
  {
    title: "a number with a leading zero",
    send: creating(written("tags", "[01]")),
    answers: [notJson("Unexpected number in JSON at position 52 (line 1 column 53)")]
  },
  {
    title: "a number in hexadecimal",
    send: creating(written("tags", "[0x1]")),
    answers: [notJson("Expected ',' or ']' after array element in JSON at position 52 (line 1 column 53)")]
  },
  {
    title: "a number with a plus sign",
    send: creating(written("tags", "[+1]")),
    answers: [notJson('Unexpected token \'+\', ..."],"tags":[+1]}" is not valid JSON')]
  },
  {
    title: "a number beyond all numbers",
    send: creating(written("tags", "[1e999]")),
    answers: [wrong(["tags.0", "Expected string"])]
  },
  {
    title: "a number of a hundred thousand digits",
    send: creating(written("tags", `[${"9".repeat(100_000)}]`)),
    answers: [wrong(["tags.0", "Expected string"])]
  },
  {
    title: "two objects",
    send: creating(good() + good()),
    answers: [notJson("Unexpected non-whitespace character after JSON at position 43 (line 1 column 44)")]
  },
  {
    title: "something after the object",
    send: creating(`${good()}]`),
    answers: [notJson("Unexpected non-whitespace character after JSON at position 43 (line 1 column 44)")]
  },
  { title: "an array", send: creating("[]"), answers: [unreadable("The body has to be a JSON object")] },
  { title: "a text", send: creating('"content"'), answers: [unreadable("The body has to be a JSON object")] },
  { title: "a number", send: creating("1"), answers: [unreadable("The body has to be a JSON object")] },
  { title: "true", send: creating("true"), answers: [unreadable("The body has to be a JSON object")] },
  { title: "null", send: creating("null"), answers: [unreadable("The body has to be a JSON object")] },
  {
    title: "a line break within a text",
    send: creating('{"content":"a\nb"}'),
    answers: [notJson("Bad control character in string literal in JSON at position 13 (line 1 column 14)")]
  },
  {
    title: "an escape that JSON does not have",
    send: creating('{"content":"\\x41"}'),
    answers: [notJson("Bad escaped character in JSON at position 13 (line 1 column 14)")]
  },
  {
    title: "half an escape",
    send: creating('{"content":"\\u12"}'),
    answers: [notJson("Bad Unicode escape in JSON at position 16 (line 1 column 17)")]
  },
  {
    title: "a NUL between the members",
    send: creating('{"content":"a",\0"platforms":["twitter"]}'),
    answers: [notJson("Expected double-quoted property name in JSON at position 15 (line 1 column 16)")]
  },
  {
    title: "an escaped NUL in a text",
    send: creating(written("tags", '["\\u0000"]')),
    answers: [wrong(["tags.0", aText])]
  },
  {
    title: "half a surrogate pair",
    send: creating(written("tags", '["\\ud83d"]')),
    answers: [wrong(["tags.0", aText])]
  },
  {
    title: "a surrogate pair the wrong way round",
    send: creating(written("tags", '["\\ude00\\ud83d"]')),
    answers: [wrong(["tags.0", aText])]
  },
  {
    title: "a member twice, of which the last one counts",
    send: creating('{"content":"first","platforms":["bluesky"],"content":"second","platforms":["twitter"]}'),
    answers: [created],
    changes: onePost
  },
  {
    title: "arrays 33 deep",
    send: creating(written("tags", "[".repeat(32) + "]".repeat(32))),
    answers: [unreadable("The body is nested deeper than 32 levels")]
  },
  {
    title: "arrays half a million deep",
    send: creating(written("tags", "[".repeat(500_000) + "]".repeat(500_000))),
    answers: [unreadable("The body is nested deeper than 32 levels")]
  },
  {
    title: "objects a hundred thousand deep",
    send: creating(written("platform_settings", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`)),
    answers: [unreadable("The body is nested deeper than 32 levels")]
  },
  {
    title: "arrays that are never closed",
    send: creating("[".repeat(1_000_000)),
    answers: [notJson("Unexpected end of JSON input")]
  },
  {
    title: "ten thousand members too many",
    send: creating(`{${Array.from({ length: 20_000 }, (_, index) => `"m${index}":1`).join(",")}}`),
    answers: [unreadable("The body has more than 10000 values")]
  },
  {
    title: "ten thousand empty tags too many",
    send: creating(good({ tags: Array(20_000).fill("") })),
    answers: [unreadable("The body has more than 10000 values")]
  }
]
