import { created, expectedText, invalid, invalidBody, notJson } from "./expectedResponses.ts"
import { casesWith, type HostileCase, listCases } from "./hostileCase.ts"
import { bodyWithText, create, createWithText, validBody } from "./requestBytes.ts"

const tags = createWithText("tags")
const notAnObject = invalidBody("The body has to be a JSON object")
const tooDeep = invalidBody("The body is nested deeper than 32 levels")
const tooManyValues = invalidBody("The body has more than 2000 values")

export const malformedJson: ReadonlyArray<HostileCase> = [
  ...listCases(
    create,
    ["an empty body", "", invalidBody("The body is empty; expected a JSON object")],
    ["a body of spaces", "   ", notJson("Unexpected end of JSON input")],
    [
      "a string that is cut off",
      '{"content":"a',
      notJson("Unterminated string in JSON at position 13 (line 1 column 14)")
    ],
    [
      "an object that is cut off",
      '{"content":"a"',
      notJson("Expected ',' or '}' after property value in JSON at position 14 (line 1 column 15)")
    ],
    [
      "a trailing comma",
      '{"content":"a",}',
      notJson("Expected double-quoted property name in JSON at position 15 (line 1 column 16)")
    ],
    [
      "single quotes",
      "{'content':'a'}",
      notJson("Expected property name or '}' in JSON at position 1 (line 1 column 2)")
    ],
    [
      "a comment",
      '{"content":"a"/* b */}',
      notJson("Expected ',' or '}' after property value in JSON at position 14 (line 1 column 15)")
    ],
    [
      "a member name without quotes",
      '{content:"a"}',
      notJson("Expected property name or '}' in JSON at position 1 (line 1 column 2)")
    ],
    [
      "the literal undefined",
      bodyWithText("group_id", "undefined"),
      notJson('Unexpected token \'u\', ..."group_id":undefined}" is not valid JSON')
    ],
    [
      "a line break in a string",
      '{"content":"a\nb"}',
      notJson("Bad control character in string literal in JSON at position 13 (line 1 column 14)")
    ],
    [
      "an escape that JSON does not have",
      '{"content":"\\x41"}',
      notJson("Bad escaped character in JSON at position 13 (line 1 column 14)")
    ],
    [
      "an incomplete Unicode escape",
      '{"content":"\\u12"}',
      notJson("Bad Unicode escape in JSON at position 16 (line 1 column 17)")
    ],
    [
      "a NUL between members",
      '{"content":"a",\0"platforms":["twitter"]}',
      notJson("Expected double-quoted property name in JSON at position 15 (line 1 column 16)")
    ],
    [
      "duplicate members, of which the last one counts",
      '{"content":"first","platforms":["bluesky"],"content":"second","platforms":["twitter"]}',
      created
    ],
    ["arrays that are never closed", "[".repeat(1_000_000), notJson("Unexpected end of JSON input")]
  ),
  ...listCases(
    tags,
    ["the literal NaN", "[NaN]", notJson('Unexpected token \'N\', ..."],"tags":[NaN]}" is not valid JSON')],
    [
      "the literal Infinity",
      "[Infinity]",
      notJson('Unexpected token \'I\', ..."],"tags":[Infinity]}" is not valid JSON')
    ],
    ["a leading zero", "[01]", notJson("Unexpected number in JSON at position 52 (line 1 column 53)")],
    [
      "a hexadecimal number",
      "[0x1]",
      notJson("Expected ',' or ']' after array element in JSON at position 52 (line 1 column 53)")
    ],
    ["a number with a plus sign", "[+1]", notJson('Unexpected token \'+\', ..."],"tags":[+1]}" is not valid JSON')]
  ),
  ...casesWith(invalid(["tags.0", "Expected string"]), tags, {
    "a number beyond the range of a double": "[1e999]",
    "a number of a hundred thousand digits": `[${"9".repeat(100_000)}]`
  }),
  ...casesWith(invalid(["tags.0", expectedText, { code: "text_broken" }]), tags, {
    "an escaped NUL": '["\\u0000"]',
    "an unpaired surrogate": '["\\ud83d"]',
    "a surrogate pair in reverse order": '["\\ude00\\ud83d"]'
  }),
  ...casesWith(
    notJson("Unexpected non-whitespace character after JSON at position 43 (line 1 column 44)"),
    (suffix) => create(validBody() + suffix),
    { "two objects": validBody(), "a bracket after the object": "]" }
  ),
  ...casesWith(notAnObject, create, {
    "an array": "[]",
    "a string": '"content"',
    "a number": "1",
    "the literal true": "true",
    "the literal null": "null"
  }),
  ...casesWith(tooDeep, create, {
    "arrays nested 33 deep": bodyWithText("tags", "[".repeat(32) + "]".repeat(32)),
    "arrays nested half a million deep": bodyWithText("tags", "[".repeat(500_000) + "]".repeat(500_000)),
    "objects nested a hundred thousand deep": bodyWithText(
      "platform_settings",
      `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`
    )
  }),
  ...casesWith(tooManyValues, create, {
    "twenty thousand members": `{${Array.from({ length: 20_000 }, (_, index) => `"m${index}":1`).join(",")}}`,
    "twenty thousand empty tags": validBody({ tags: Array(20_000).fill("") })
  })
]
