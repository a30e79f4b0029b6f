import { verbatimTexts } from "../http/hostileRequests/injection.ts"
import { names, texts as brokenTexts, values as brokenValues } from "../support/generated/hostileValues.ts"

type Members = Readonly<Record<string, unknown>>
type Place = (value: unknown) => Members

/** Texts for arguments that are texts. */
const texts: ReadonlyArray<string> = [
  ...brokenTexts,
  ...Object.values(verbatimTexts),
  "a\ud800b",
  "a".repeat(64_000),
  "😀".repeat(16_000),
  `${"1".repeat(64_000)}-01-01T00:00:00Z`
]

const own = (name: string, value: unknown): Members => Object.fromEntries([[name, value]])

/** Values for arguments of another kind. */
const values: ReadonlyArray<unknown> = [
  ...brokenValues.filter((value) => typeof value !== "string"),
  -0,
  Number.MAX_VALUE,
  "text",
  Array(300).fill("y"),
  Array(1_000).fill("twitter"),
  own("__proto__", { status: "published" }),
  own("constructor", { prototype: { status: "published" } }),
  own("a".repeat(40_000), 1),
  own("\u0001".repeat(10_000), 1)
]

const file = "01a1fc17-dc2e-777d-ad63-5a461a1bba44"

/** Places for texts in the arguments that create or change a post. */
const textPlaces: Readonly<Record<string, Place>> = {
  content: (content) => ({ content }),
  "content of what is scheduled": (content) => ({ content, status: "scheduled" }),
  "an override": (twitter) => ({ platform_overrides: { twitter } }),
  "a setting": (who_can_reply) => ({ platform_settings: { twitter: { who_can_reply } } }),
  "a free setting": (title) => ({ platform_settings: { youtube: { title } } }),
  "an address in a setting": (thumbnail_url) => ({ platform_settings: { youtube: { thumbnail_url } } }),
  "a setting that is not known": (other) => ({ platform_settings: { facebook: { other } } }),
  "a tag": (tag) => ({ tags: ["first", tag] }),
  "the id of a file": (id) => ({ media: [{ id }] }),
  "an alternative text": (alt) => ({ media: [{ id: file, alt }] }),
  "a part": (content) => ({ thread: [{ content: "First" }, { content }] }),
  "an override of a part": (bluesky) => ({ thread: [{ content: "First", platform_overrides: { bluesky } }] }),
  "an alternative text of a part": (alt) => ({ thread: [{ content: "First", media: [{ id: file, alt }] }] }),
  status: (status) => ({ status }),
  "two places": (text) => ({ content: text, tags: [1], platform_overrides: { bluesky: text }, status: "scheduled" })
}

/** Places for other values in these arguments. */
const valuePlaces: Readonly<Record<string, Place>> = {
  content: (content) => ({ content }),
  tags: (tags) => ({ tags }),
  overrides: (platform_overrides) => ({ platform_overrides }),
  settings: (platform_settings) => ({ platform_settings }),
  "settings of a platform": (twitter) => ({ platform_settings: { twitter } }),
  files: (media) => ({ media }),
  "a file": (first) => ({ media: [first] }),
  thread: (thread) => ({ thread }),
  "a part": (first) => ({ thread: [first] }),
  status: (status) => ({ status })
}

/** Places at which a member can have any name. */
const namePlaces: Readonly<Record<string, (name: string) => Members>> = {
  "a member": (name) => own(name, 1),
  "an override": (name) => ({ platform_overrides: own(name, "Hello") }),
  "a setting": (name) => ({ platform_settings: { twitter: own(name, "Hello") } }),
  "a member of a part": (name) => ({ thread: [own(name, "Hello")] })
}

interface HostileArguments {
  readonly title: string
  readonly members: Members
}

const casesOf = <A>(
  places: Readonly<Record<string, (value: A) => Members>>,
  all: ReadonlyArray<A>
): ReadonlyArray<HostileArguments> =>
  Object.entries(places).flatMap(([place, put]) =>
    all.map((value) => ({
      title: `${place}: ${(JSON.stringify(value) ?? "undefined").slice(0, 60)}`,
      members: put(value)
    }))
  )

/** Members for creating and for changing a post, with hostile values in every place. */
export const hostileMembers: ReadonlyArray<HostileArguments> = [
  ...casesOf(textPlaces, texts),
  ...casesOf(valuePlaces, values),
  ...casesOf(namePlaces, [...names, ...texts.filter((text) => text.length > 1_000)])
]

/** Members that exist only for creating a post. */
export const hostileNewMembers: ReadonlyArray<HostileArguments> = [
  ...casesOf(
    { platform: (platform) => ({ platforms: [platform] }), "a time": (schedule_at) => ({ schedule_at }) },
    texts
  ),
  ...casesOf({ group: (group_id) => ({ group_id }) }, texts),
  ...casesOf({ platforms: (platforms) => ({ platforms }), "a time": (schedule_at) => ({ schedule_at }) }, values),
  ...casesOf({ "a blank post for nothing": (content) => ({ content, platforms: ["y"] }) }, ["", " ", null])
]

/** Members that exist only for changing a post. */
export const hostileChangedMembers: ReadonlyArray<HostileArguments> = casesOf(
  { "a time": (scheduled_at) => ({ scheduled_at }) },
  [...texts, ...values]
)
