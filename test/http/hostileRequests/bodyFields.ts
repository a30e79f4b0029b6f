import {
  created,
  expectedPlatform,
  expectedTime,
  invalid,
  unknownMember,
  unknownMemberOfUpdate,
  unknownPlatform
} from "./expectedResponses.ts"
import { casesWith, type HostileCase, listCases } from "./hostileCase.ts"
import { createWith, createWithText, update } from "./requestBytes.ts"

const id = "01a1fc17-dc2e-777d-ad63-5a461a1bba44"

const platformInvalid = invalid(["platforms.0", expectedPlatform])
const contentInvalid = invalid(["content", "Expected string"])
const timeInvalid = invalid(["schedule_at", expectedTime])

/** Mass assignment, prototype pollution and values of the wrong type. */
export const bodyFields: ReadonlyArray<HostileCase> = [
  ...listCases(
    createWith,
    ["an id for a new post", { id }, invalid(["id", unknownMember])],
    ["a workspace for a new post", { workspace_id: id }, invalid(["workspace_id", unknownMember])],
    [
      "a time of publication for a new post",
      { published_at: "1970-01-01T00:00:00Z" },
      invalid(["published_at", unknownMember])
    ],
    [
      "a time of creation for a new post",
      { created_at: "1970-01-01T00:00:00Z" },
      invalid(["created_at", unknownMember])
    ],
    [
      "published targets for a new post",
      { post_targets: [{ status: "published", platform_post_url: "https://evil.example" }] },
      invalid(["post_targets", unknownMember])
    ],
    [
      "the status published for a new post",
      { status: "published" },
      invalid(["status", 'Expected "draft" | "scheduled"'])
    ],
    [
      "the key's permissions for a new post",
      { requires_approval: false, scopes: ["posts:publish"] },
      invalid(["requires_approval", unknownMember], ["scopes", unknownMember])
    ]
  ),
  ...listCases(
    update,
    ["another id for a post", { id }, invalid(["id", unknownMemberOfUpdate])],
    ["another workspace for a post", { workspace_id: id }, invalid(["workspace_id", unknownMemberOfUpdate])],
    ["the targets of a post", { post_targets: [] }, invalid(["post_targets", unknownMemberOfUpdate])],
    ["what a post is a copy of", { copied_from: id }, invalid(["copied_from", unknownMemberOfUpdate])],
    ["platforms that don't exist for a post", { platforms: ["myspace"] }, platformInvalid],
    [
      "the status published for a post",
      { status: "published", published_at: "1970-01-01T00:00:00Z" },
      invalid(["published_at", unknownMemberOfUpdate], ["status", 'Expected "draft" | "scheduled"'])
    ],
    ["another group for a post", { group_id: id }, invalid(["group_id", unknownMemberOfUpdate])]
  ),
  ...listCases(createWithText("__proto__"), [
    "__proto__ in a post",
    '{"status":"published"}',
    invalid(["__proto__", unknownMember])
  ]),
  ...listCases(createWithText("platform_overrides"), [
    "__proto__ in the overrides",
    '{"__proto__":{"twitter":"evil"}}',
    invalid(["platform_overrides.__proto__", unknownPlatform])
  ]),
  ...listCases(
    createWithText("platform_settings"),
    [
      "__proto__ in the settings",
      '{"__proto__":{"twitter":{"who_can_reply":"nobody"}}}',
      invalid(["platform_settings.__proto__", unknownPlatform])
    ],
    ["__proto__ in a platform's settings", '{"twitter":{"__proto__":{"who_can_reply":"nobody"}}}', created],
    [
      "names of every object's members in a platform's settings",
      '{"twitter":{"hasOwnProperty":1,"toString":1,"valueOf":1}}',
      created
    ]
  ),
  ...listCases(createWithText("constructor"), [
    "constructor in a post",
    '{"prototype":{"status":"published"}}',
    invalid(["constructor", unknownMember])
  ]),
  ...listCases(createWithText("toString"), ["toString in a post", '"a"', invalid(["toString", unknownMember])]),
  ...casesWith(platformInvalid, (platforms: unknown) => createWith({ platforms }), {
    "__proto__ as a platform": ["__proto__"],
    "constructor as a platform": ["constructor"],
    "an array of platforms in another one": [["twitter"]]
  }),
  ...listCases(
    (platforms: unknown) => createWith({ platforms }),
    ["a platform with a space", ["twitter "], invalid(["platforms.0", `${expectedPlatform}; did you mean "twitter"?`])],
    ["a platform in capitals", ["TWITTER"], invalid(["platforms.0", `${expectedPlatform}; did you mean "twitter"?`])]
  ),
  ...casesWith(platformInvalid, createWithText("platforms"), { "a platform with a NUL": '["twitter\\u0000"]' }),
  ...casesWith(contentInvalid, createWithText("content"), { "a query operator as content": '{"$ne":null}' }),
  ...casesWith(contentInvalid, (content: unknown) => createWith({ content }), {
    "an array as content": ["Hello"],
    "null as content": null
  }),
  ...casesWith(invalid(["platforms", "Expected array"]), (platforms: unknown) => createWith({ platforms }), {
    "a string as platforms": "twitter",
    "an object like an array as platforms": { 0: "twitter", length: 1 }
  }),
  ...listCases(
    createWith,
    ["an object as tags", { tags: { length: 1 } }, invalid(["tags", "Expected array | null"])],
    ["an array as overrides", { platform_overrides: ["a"] }, invalid(["platform_overrides", "Expected object | null"])],
    [
      "an array as a platform's settings",
      { platform_settings: { twitter: [] } },
      invalid(["platform_settings.twitter", "Expected object | null"])
    ],
    [
      "an array as a time",
      { schedule_at: ["1970-01-02T00:00:00Z"] },
      invalid(["schedule_at", "Expected string | null"])
    ]
  ),
  ...casesWith(timeInvalid, (schedule_at: string) => createWith({ schedule_at }), {
    "a time in the year 10000": "+010000-01-01T00:00:00Z",
    "a time before the year 0": "-000001-01-01T00:00:00Z",
    "a leap second": "1970-01-01T23:59:60Z",
    "the hour 25": "1970-01-01T25:00:00Z",
    "SQL as a time": "now()"
  })
]
