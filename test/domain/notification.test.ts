import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Notification, notificationExamples } from "../../src/domain/notification.ts"

const isNotification = Schema.is(Schema.toEncoded(Notification))

describe("Notification", () => {
  it.each(Object.entries(notificationExamples))("The example %s is a notification", (_name, example) => {
    assert.isTrue(isNotification(example))
  })

  it("The metadata of a type that is known has to be exactly its own", () => {
    const { disconnected, published } = notificationExamples
    assert.isFalse(isNotification({ ...published, metadata: disconnected.metadata }))
    assert.isFalse(isNotification({ ...published, metadata: {} }))
    assert.isTrue(isNotification({ ...published, type: "post.later", metadata: {} }))
  })
})
