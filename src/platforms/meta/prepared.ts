import { Schema } from "effect"
import { preparedPostReader, storedForm } from "../preparedPost.ts"
import { MetaId } from "./syntax.ts"

/** The stored form of a post that a container is published as. */
export const containerPosts = <const Tag extends string, const Kind extends string>(
  platform: string,
  tag: Tag,
  kinds: ReadonlyArray<Kind>
) => {
  const storedAs = storedForm(tag)
  const Post = Schema.Struct({
    ...storedAs.fields,
    accountId: MetaId,
    text: Schema.String,
    /** Absent if the post is only looked for, and its files are not known. */
    kind: Schema.optionalKey(Schema.Literals(kinds)),
    /** The platform's id of the replied-to post. */
    replyTo: Schema.optionalKey(MetaId),
    /** The container that is published. Absent if the post was prepared only to be looked for. */
    container: Schema.optionalKey(MetaId),
    /** The time before which the container was made. */
    madeAt: Schema.DateTimeUtcFromString
  })
  const encode = Schema.encodeSync(Post)
  return {
    encodePost: (post: Omit<typeof Post.Type, "_tag" | "version">) => encode({ ...storedAs.members, ...post }),
    readPost: preparedPostReader(platform, Post, ({ accountId }) => accountId)
  }
}

type Posts = ReturnType<typeof containerPosts<string, string>>
export type ContainerPostReader = Posts["readPost"]
export type ContainerPost = Parameters<Posts["encodePost"]>[0]
