import { Predicate } from "effect"
import * as hostile from "./hostileValues.ts"
import { seededRandom } from "./seededRandom.ts"

/** A request whose body is not yet encoded. */
export interface DraftRequest {
  readonly method: string
  /** The path as in the request line, without the query. */
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Bytes to send instead of the body. */
  readonly bytes?: Buffer
}

/** A change whose place and value `dice` determines. */
type Mutation = (draft: DraftRequest, dice: number) => DraftRequest

const pick = <A>(from: ReadonlyArray<A>, dice: number): A => from[dice % from.length] as A

/** Derives another random number. */
const reroll = (dice: number): number => Math.floor(seededRandom(dice)() * 2 ** 32)

/** Percent-encodes a text, even with unpaired surrogates. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Replaces a random part of a JSON value, or removes it if the replacement is undefined. */
const change = (value: unknown, dice: number, replace: (found: unknown) => unknown): unknown => {
  const members = Predicate.isObjectOrArray(value) ? Object.entries(value) : []
  if (members.length === 0 || dice % 3 === 0) return replace(value)
  const [chosen] = pick(members, dice)
  const changed = members.map(([name, member]) =>
    name === chosen ? ([name, change(member, reroll(dice), replace)] as const) : ([name, member] as const)
  )
  const remaining = changed.filter(([, member]) => member !== undefined)
  return Array.isArray(value) ? remaining.map(([, member]) => member) : Object.fromEntries(remaining)
}

const inBody =
  (replace: (found: unknown, dice: number) => unknown): Mutation =>
  (draft, dice) => ({ ...draft, body: change(draft.body ?? {}, dice, (found) => replace(found, reroll(dice))) })

const inText =
  (rewrite: (text: string, dice: number) => string | Buffer): Mutation =>
  (draft, dice) => {
    const sent = rewrite(JSON.stringify(draft.body ?? {}), reroll(dice))
    return { ...draft, bytes: typeof sent === "string" ? Buffer.from(sent) : sent }
  }

const inPath =
  (rewrite: (segments: ReadonlyArray<string>, at: number, dice: number) => ReadonlyArray<string>): Mutation =>
  (draft, dice) => {
    const [, ...segments] = draft.path.split("/")
    return { ...draft, path: `/${rewrite(segments, dice % segments.length, reroll(dice)).join("/")}` }
  }

const maxBodyBytes = 1_048_576

const mutations: ReadonlyArray<Mutation> = [
  // Bodies of the wrong shape
  inBody((_found, dice) => pick(hostile.values, dice)),
  inBody(() => undefined),
  inBody((found, dice) =>
    Predicate.isObject(found) ? { ...found, [pick(hostile.names, dice)]: pick(hostile.values, reroll(dice)) } : [found]
  ),
  inBody((found, dice) => (typeof found === "string" ? found + pick(hostile.texts, dice) : [found, found])),
  // Bodies that are malformed JSON, or no JSON object
  inText((text, dice) => text.slice(0, dice % (text.length + 1))),
  inText((text) => `\ufeff${text}`),
  inText((text, dice) => text.replace("{", `{${JSON.stringify(pick(hostile.names, dice))}:1e999,`)),
  inText((text, dice) => text.replaceAll(/[a-z]/g, (letter) => (reroll(dice) % 2 === 0 ? letter : "\\ud800"))),
  inText((text, dice) => `${"[".repeat(dice % 3000)}${text}${"]".repeat(dice % 3000)}`),
  inText((text) => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0x22, 0x7d])])),
  inText((text, dice) => text.padEnd(maxBodyBytes + (dice % 3) - 1)),
  inText((_text, dice) => JSON.stringify(pick(hostile.values, dice))),
  // Paths
  inPath((segments, at, dice) => segments.with(at, pick(hostile.segments, dice))),
  inPath((segments, at, dice) => segments.toSpliced(at, 0, pick(hostile.segments, dice))),
  inPath((segments, at, dice) => segments.with(at, encode(pick(hostile.texts, dice).slice(0, 4000)))),
  inPath((segments, at) => segments.toSpliced(at, 1)),
  inPath((segments) => [...segments, ""]),
  // Queries
  (draft, dice) => ({ ...draft, query: [draft.query, pick(hostile.queries, dice)].join("&") }),
  (draft, dice) => ({
    ...draft,
    query: draft.query.replaceAll(/=[^&]*/g, `=${encode(pick(hostile.texts, dice).slice(0, 4000))}`)
  }),
  (draft) => ({ ...draft, query: `${draft.query}&${draft.query}` }),
  // Methods and headers
  (draft, dice) => ({ ...draft, method: pick(hostile.methods, dice) }),
  (draft, dice) => {
    const [name, values] = pick(Object.entries(hostile.headers), dice)
    return { ...draft, headers: { ...draft.headers, [name]: pick(values, reroll(dice)) } }
  },
  (draft, dice) => {
    const removed = pick(Object.keys(draft.headers), dice)
    return { ...draft, headers: Object.fromEntries(Object.entries(draft.headers).filter(([name]) => name !== removed)) }
  }
]

/** One mutation for each of the dice. */
export const mutate = (draft: DraftRequest, dice: ReadonlyArray<number>): DraftRequest =>
  dice.reduce((mutated, die) => pick(mutations, die)(mutated, reroll(die)), draft)
