import { Schema } from "effect"
import { CreatorId } from "../ids.ts"
import * as sample from "../samples.ts"

export const keyExample = { type: "key", id: sample.keyId, name: "Release bot" } as const
export const userExample = { type: "user", id: sample.userId, name: "Ada Lovelace" } as const

const Named = Schema.Struct({
  type: Schema.Literals(["key", "user"]).annotateKey({ description: "`key`: an API key. `user`: a person." }),
  id: CreatorId.annotateKey({ description: "The id of the key or of the user." }),
  name: Schema.String.annotateKey({
    description: "The name of the key; the name of the user, or their email address if they have not given one."
  })
})

export const PostCreator = Named.annotate({
  identifier: "PostCreator",
  description: "Who created a post."
}).pipe(Schema.annotateEncoded({ examples: [keyExample] }))

export const NamedAuthor = Named.annotate({
  identifier: "Author",
  description: "Who did something: a program by its API key, or a person."
}).pipe(Schema.annotateEncoded({ examples: [userExample] }))
