import { answer, type Answered, type Pages } from "./answers.ts"
import { ApiError } from "./errors.ts"
import { isRecord } from "./json.ts"

type Query = Readonly<Record<string, unknown>>

const nextOf = (page: Query): Query | undefined => {
  const { hasMore, next_cursor: cursor, page: number } = page
  if (typeof cursor === "string") return { cursor }
  // Lists without cursors have numbered pages.
  return hasMore === true && typeof number === "number" ? { page: number + 1 } : undefined
}

const itemsOf = (page: Query): ReadonlyArray<unknown> => (Array.isArray(page["data"]) ? page["data"] : [])

const idOf = (item: unknown): unknown => (isRecord(item) ? item["id"] : undefined)

const refuseLoop = ({ headers, status }: Answered<Query>) =>
  new ApiError({
    status,
    code: "unknown",
    detail: "The page leads back to one that was read before",
    errors: [],
    requestId: headers.get("x-request-id"),
    retryAfter: null,
    problem: {},
    idempotencyKey: null
  })

async function* readItems(read: (query: Query) => Promise<Answered<Query>>, query: Query): AsyncGenerator {
  const asked = new Set<unknown>([query["cursor"] ?? query["page"]])
  let before = new Set<unknown>()
  let next: Query | undefined = query
  while (next !== undefined) {
    const answered: Answered<Query> = await read(next)
    const items = itemsOf(answered.data)
    for (const item of items) if (idOf(item) === undefined || !before.has(idOf(item))) yield item
    const after = nextOf(answered.data)
    if (after === undefined) return
    const place = after["cursor"] ?? after["page"]
    if (asked.has(place)) throw refuseLoop(answered)
    asked.add(place)
    // An item added at the front moves others to the next numbered page. Those are returned once.
    before = new Set("page" in after ? items.map(idOf) : [])
    next = { ...query, ...after }
  }
}

export const pages = (read: (query: Query) => Promise<Answered<Query>>, query: Query): Pages<unknown, unknown> => ({
  page: () => answer(read(query)),
  [Symbol.asyncIterator]: () => readItems(read, query)
})
