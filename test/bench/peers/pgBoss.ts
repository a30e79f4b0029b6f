import { PgBoss } from "pg-boss"
import { answerInserts, capacity, databaseUrl, insertPosts, poolSize, type Post, recordSent, send } from "./posts.ts"

const queue = "publish"
const workers = 4

const boss = new PgBoss({ connectionString: databaseUrl, max: poolSize, useListenNotify: true })
boss.on("error", (error) => {
  throw error
})
await boss.start()
await boss.createQueue(queue, { notify: true })

// The shortest pauses that pg-boss allows, and no pause while more jobs wait.
const options = {
  batchSize: capacity / workers,
  localConcurrency: workers,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5,
  notifyPollingIntervalSeconds: 0.5
}
await boss.work<Post>(queue, options, async (jobs) => {
  await recordSent(await Promise.all(jobs.map(async ({ data }) => ({ id: data.id, platformPostId: await send(data) }))))
})

answerInserts(async (posts) => {
  const added = await insertPosts(posts, "queued")
  await boss.insert(
    queue,
    added.map(({ dueAt, ...data }) => ({ data, startAfter: dueAt }))
  )
})
