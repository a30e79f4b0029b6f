import { Predicate } from "effect"
import * as junk from "./hostileValues.ts"
import { seededRandom } from "./seededRandom.ts"

/** A request that is about to be sent, while its body is still a value. */
export interface DraftRequest {
  readonly method: string
  /** As it stands in the request line, without the query. */
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  /** What is sent in place of the body. */
  readonly bytes?: Buffer
}

/** One thing to do to a request; `dice` says where and with what. */
type Mutation = (draft: DraftRequest, dice: number) => DraftRequest

const pick = <A>(from: ReadonlyArray<A>, dice: number): A => from[dice % from.length] as A

/** A number that is as good as another throw. */
const again = (dice: number): number => Math.floor(seededRandom(dice)() * 2 ** 32)

/** Percent-encodes even what is no proper text. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Changes something somewhere in a JSON value; what becomes undefined is left out. */
const change = (value: unknown, dice: number, to: (found: unknown) => unknown): unknown => {
  const members = Predicate.isObjectOrArray(value) ? Object.entries(value) : []
  if (members.length === 0 || dice % 3 === 0) return to(value)
  const [chosen] = pick(members, dice)
  const changed = members.map(([name, member]) =>
    name === chosen ? ([name, change(member, again(dice), to)] as const) : ([name, member] as const)
  )
  const left = changed.filter(([, member]) => member !== undefined)
  return Array.isArray(value) ? left.map(([, member]) => member) : Object.fromEntries(left)
}

const inBody =
  (to: (found: unknown, dice: number) => unknown): Mutation =>
  (draft, dice) => ({ ...draft, body: change(draft.body ?? {}, dice, (found) => to(found, again(dice))) })

const inText =
  (to: (text: string, dice: number) => string | Buffer): Mutation =>
  (draft, dice) => {
    const sent = to(JSON.stringify(draft.body ?? {}), again(dice))
    return { ...draft, bytes: typeof sent === "string" ? Buffer.from(sent) : sent }
  }

const inPath =
  (to: (segments: ReadonlyArray<string>, at: number, dice: number) => ReadonlyArray<string>): Mutation =>
  (draft, dice) => {
    const [, ...segments] = draft.path.split("/")
    return { ...draft, path: `/${to(segments, dice % segments.length, again(dice)).join("/")}` }
  }

const largestBody = 1_048_576

const mutations: ReadonlyArray<Mutation> = [
  // Bodies of the wrong shape
  inBody((_found, dice) => pick(junk.values, dice)),
  inBody(() => undefined),
  inBody((found, dice) =>
    Predicate.isObject(found) ? { ...found, [pick(junk.names, dice)]: pick(junk.values, again(dice)) } : [found]
  ),
  inBody((found, dice) => (typeof found === "string" ? found + pick(junk.texts, dice) : [found, found])),
  // Bodies that are hardly JSON
  inText((text, dice) => text.slice(0, dice % (text.length + 1))),
  inText((text) => `\ufeff${text}`),
  inText((text, dice) => text.replace("{", `{${JSON.stringify(pick(junk.names, dice))}:1e999,`)),
  inText((text, dice) => text.replaceAll(/[a-z]/g, (letter) => (again(dice) % 2 === 0 ? letter : "\\ud800"))),
  inText((text, dice) => `${"[".repeat(dice % 3000)}${text}${"]".repeat(dice % 3000)}`),
  inText((text) => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0x22, 0x7d])])),
  inText((text, dice) => text.padEnd(largestBody + (dice % 3) - 1)),
  inText((_text, dice) => JSON.stringify(pick(junk.values, dice))),
  // Addresses
  inPath((segments, at, dice) => segments.with(at, pick(junk.segments, dice))),
  inPath((segments, at, dice) => segments.toSpliced(at, 0, pick(junk.segments, dice))),
  inPath((segments, at, dice) => segments.with(at, encode(pick(junk.texts, dice).slice(0, 4000)))),
  inPath((segments, at) => segments.toSpliced(at, 1)),
  inPath((segments) => [...segments, ""]),
  // Queries
  (draft, dice) => ({ ...draft, query: [draft.query, pick(junk.queries, dice)].join("&") }),
  (draft, dice) => ({
    ...draft,
    query: draft.query.replaceAll(/=[^&]*/g, `=${encode(pick(junk.texts, dice).slice(0, 4000))}`)
  }),
  (draft) => ({ ...draft, query: `${draft.query}&${draft.query}` }),
  // Methods and headers
  (draft, dice) => ({ ...draft, method: pick(junk.methods, dice) }),
  (draft, dice) => {
    const [name, values] = pick(Object.entries(junk.headers), dice)
    return { ...draft, headers: { ...draft.headers, [name]: pick(values, again(dice)) } }
  },
  (draft, dice) => {
    const gone = pick(Object.keys(draft.headers), dice)
    return { ...draft, headers: Object.fromEntries(Object.entries(draft.headers).filter(([name]) => name !== gone)) }
  }
]

/** Does to a request what each of the dice says. */
export const mutate = (draft: DraftRequest, dice: ReadonlyArray<number>): DraftRequest =>
  dice.reduce((mangled, one) => pick(mutations, one)(mangled, again(one)), draft)
