// A handwritten publisher: claims with SKIP LOCKED, sends concurrently, and records results in batches.
import { answerInserts, capacity, insertPosts, type Post, recordSent, send, type Sent, sql } from "./posts.ts"

/** With fewer free slots, a claim is not worth its round trip. */
const minClaim = 64
const maxPause = 1000

let inFlight = 0
let isClaiming = false
let isWoken = false
let isRecording = false
let sent: Array<Sent> = []
let timer: NodeJS.Timeout | undefined

const claim = (limit: number) => sql<Array<Post>>`
  UPDATE peer_posts SET status = 'publishing' WHERE id IN (
    SELECT id FROM peer_posts WHERE status = 'pending' AND due_at <= now()
    ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
  RETURNING id, account, text`

const nextDue = async () => {
  const [next] = await sql<Array<{ readonly milliseconds: number | null }>>`
    SELECT extract(epoch FROM min(due_at) - clock_timestamp())::float8 * 1000 AS milliseconds
    FROM peer_posts WHERE status = 'pending'`
  return next?.milliseconds ?? maxPause
}

const record = async () => {
  if (isRecording) return
  isRecording = true
  while (sent.length > 0) {
    const batch = sent
    sent = []
    await recordSent(batch)
  }
  isRecording = false
}

const publish = async (post: Post) => {
  const platformPostId = await send(post)
  sent.push({ id: post.id, platformPostId })
  inFlight--
  void record()
  if (capacity - inFlight >= minClaim) void work()
}

const work = async (): Promise<void> => {
  isWoken = true
  if (isClaiming) return
  isClaiming = true
  clearTimeout(timer)
  while (isWoken) {
    isWoken = false
    const free = capacity - inFlight
    if (free < minClaim) break
    const posts = await claim(free)
    inFlight += posts.length
    for (const post of posts) void publish(post)
    if (posts.length < free && !isWoken) {
      timer = setTimeout(() => void work(), Math.min(maxPause, Math.max(1, await nextDue())))
    }
  }
  isClaiming = false
}

await sql.listen("peer_posts", () => void work())
answerInserts((posts) => insertPosts(posts, "pending"))
