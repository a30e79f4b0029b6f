import { type Answer, answer, type Answered } from "./answers.ts"
import { isRecord } from "./json.ts"

/** A list that is read page by page: `for await` reads each item, `page()` one page. Nothing is sent before. */
export interface Pages<Item, Page> extends AsyncIterable<Item> {
  readonly page: () => Answer<Page>
}

type Query = Readonly<Record<string, unknown>>

/** What the query has for the page after this one; undefined after the last one. */
const nextOf = (page: Query): Query | undefined => {
  const { hasMore, next_cursor: cursor, page: number } = page
  if (typeof cursor === "string") return { cursor }
  // Lists without a cursor count their pages.
  return hasMore === true && typeof number === "number" ? { page: number + 1 } : undefined
}

const itemsOf = (page: Query): ReadonlyArray<unknown> => (Array.isArray(page["data"]) ? page["data"] : [])

const idOf = (item: unknown): unknown => (isRecord(item) ? item["id"] : undefined)

async function* readItems(read: (query: Query) => Promise<Answered<Query>>, query: Query): AsyncGenerator {
  let before = new Set<unknown>()
  let next: Query | undefined = query
  while (next !== undefined) {
    const { data: page }: Answered<Query> = await read(next)
    const items = itemsOf(page)
    // Where pages are counted, what was added meanwhile moves items to the next page a second time.
    for (const item of items) if (idOf(item) === undefined || !before.has(idOf(item))) yield item
    before = new Set(items.map(idOf))
    const after = nextOf(page)
    next = after && { ...query, ...after }
  }
}

/** A list whose pages `read` requests. */
export const pages = (read: (query: Query) => Promise<Answered<Query>>, query: Query): Pages<unknown, unknown> => ({
  page: () => answer(read(query)),
  [Symbol.asyncIterator]: () => readItems(read, query)
})
