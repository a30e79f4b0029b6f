import { Context, Effect, Layer } from "effect"
import { makeChangePost } from "./changePost.ts"
import { makeCopyPost } from "./copyPost.ts"
import { makeCreatePost } from "./createPost.ts"
import { makeDecisions } from "./decisions.ts"
import { makePublishPost } from "./publishPost.ts"
import { makeRemovePosts } from "./removePosts.ts"
import { makeScheduling } from "./scheduling.ts"
import { makeValidatePost } from "./validatePost.ts"

const make = Effect.gen(function* () {
  const scheduling = yield* makeScheduling
  return {
    create: yield* makeCreatePost(scheduling),
    copy: yield* makeCopyPost,
    change: yield* makeChangePost(scheduling),
    publish: yield* makePublishPost(scheduling),
    ...(yield* makeDecisions(scheduling)),
    ...(yield* makeRemovePosts),
    ...(yield* makeValidatePost)
  }
})

export class Posting extends Context.Service<Posting, Effect.Success<typeof make>>()(
  "social-publisher/posting/Posting"
) {
  static readonly layer = Layer.effect(Posting, make)
}
