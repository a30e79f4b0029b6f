// Shared by the peers that publish: the table of posts, and the platform's API.
import { Agent, request } from "node:http"
import postgres from "postgres"
import { answerParent, now } from "../support/answerParent.ts"
import type { NewPosts } from "../support/newPosts.ts"

/** The largest number of posts in flight. */
export const capacity = 256

/** As many connections as in the service's pool. */
export const poolSize = 10

export const databaseUrl = process.env["DATABASE_URL"] ?? ""

export const sql = postgres(databaseUrl, { max: poolSize, onnotice: () => undefined })

/** A stored post. */
export interface Post {
  readonly id: string
  readonly account: number
  readonly text: string
}

/**
 * Stores posts, and returns them with their due times. `pending` posts are for the loop, which is notified. `queued`
 * posts are in a library's queue.
 */
export const insertPosts = ({ accounts, count, firstDue, prefix, spacing }: NewPosts, status: "pending" | "queued") =>
  sql<Array<Post & { readonly dueAt: Date }>>`
    WITH added AS (
      INSERT INTO peer_posts (status, account, text, due_at)
      SELECT ${status}, n % ${accounts}::int, ${prefix}::text || ' ' || n,
        to_timestamp((${firstDue}::float8 + n * ${spacing}::float8) / 1000)
      FROM generate_series(0, ${count}::int - 1) n
      RETURNING id, account, text, due_at AS "dueAt"
    )
    SELECT added.*, (SELECT pg_notify('peer_posts', '') WHERE ${status} = 'pending') FROM added`

/** Stores posts with `insert` when the benchmark asks for it, and returns the time at which that began. */
export const answerInserts = (insert: (posts: NewPosts) => Promise<unknown>) =>
  answerParent(async (question) => {
    const posts: NewPosts = JSON.parse(question)
    const at = now()
    await insert(posts)
    return { at }
  })

const agent = new Agent({ keepAlive: true, maxSockets: capacity })
const tweets = new URL("/2/tweets", process.env["PLATFORM_URL"])

/** Sends a post and returns its id on the platform. */
export const send = ({ account, text }: Post) =>
  new Promise<string>((resolve, reject) => {
    const body = JSON.stringify({ text })
    const headers = {
      authorization: `Bearer token-${account}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body)
    }
    request(tweets, { method: "POST", agent, headers }, (response) => {
      let received = ""
      response.setEncoding("utf8").on("data", (chunk: string) => {
        received += chunk
      })
      response.once("end", () => {
        const created: { readonly data: { readonly id: string } } = JSON.parse(received)
        resolve(created.data.id)
      })
    })
      .once("error", reject)
      .end(body)
  })

/** A sent post with its id on the platform. */
export interface Sent {
  readonly id: string
  readonly platformPostId: string
}

export const recordSent = (sent: ReadonlyArray<Sent>) => sql`
  UPDATE peer_posts p SET status = 'published', platform_post_id = sent.platform_post_id, published_at = now()
  FROM unnest(${sent.map(({ id }) => id)}::bigint[], ${sent.map(({ platformPostId }) => platformPostId)}::text[])
    AS sent(id, platform_post_id)
  WHERE p.id = sent.id`
