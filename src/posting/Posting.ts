import { Context, Effect, Layer } from "effect"
import { makeChangePost } from "./changePost.ts"
import { makeCopyPost } from "./copyPost.ts"
import { makeCreatePost } from "./createPost.ts"
import { makeDecisions } from "./decisions.ts"
import { makeOrderPosts } from "./orderPosts.ts"
import { makePublishPost } from "./publishPost.ts"
import { makeRemovePosts } from "./removePosts.ts"
import { makeScheduling } from "./scheduling.ts"
import { makeSlots } from "./slots.ts"
import { makeValidatePost } from "./validatePost.ts"

const make = Effect.gen(function* () {
  const scheduling = yield* makeScheduling
  const slots = yield* makeSlots
  const { apply, change, findChangeIssues } = yield* makeChangePost(scheduling, slots)
  return {
    create: yield* makeCreatePost(scheduling, slots),
    copy: yield* makeCopyPost(scheduling, slots, apply),
    change,
    findChangeIssues,
    publish: yield* makePublishPost(scheduling),
    ...(yield* makeDecisions(scheduling, slots)),
    ...(yield* makeOrderPosts(scheduling, slots, apply)),
    ...(yield* makeRemovePosts),
    ...(yield* makeValidatePost(slots)),
    findSlotIn: slots.findIn,
    queueOf: slots.queueOf,
    readQueue: slots.readQueue
  }
})

export class Posting extends Context.Service<Posting, Effect.Success<typeof make>>()(
  "social-publisher/posting/Posting"
) {
  static readonly layer = Layer.effect(Posting, make)
}
