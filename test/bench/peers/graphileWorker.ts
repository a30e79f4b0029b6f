import { Logger, makeWorkerUtils, run } from "graphile-worker"
import { answerInserts, capacity, databaseUrl, insertPosts, poolSize, type Post, recordSent, send } from "./posts.ts"

// Jobs are fetched and completed in batches, as the documentation advises for throughput.
const preset = {
  worker: {
    connectionString: databaseUrl,
    concurrentJobs: capacity,
    maxPoolSize: poolSize,
    pollInterval: 100,
    localQueue: { size: 2 * capacity },
    completeJobBatchDelay: 0,
    logger: new Logger(() => () => undefined)
  }
}

const utils = await makeWorkerUtils({ preset })
await utils.migrate()

await run({
  preset,
  taskList: {
    publish: async (payload) => {
      const post = payload as Post
      await recordSent([{ id: post.id, platformPostId: await send(post) }])
    }
  }
})

answerInserts(async (posts) => {
  const added = await insertPosts(posts, "queued")
  await utils.addJobs(added.map(({ dueAt, ...payload }) => ({ identifier: "publish", payload, runAt: dueAt })))
})
