import { withPeriod } from "../../api/errors.ts"
import type { PostJson } from "../../api/posts.ts"
import { isRejected } from "../../api/postStatus.ts"
import { TextDiff } from "../../ui/diff/TextDiff.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { platformName } from "../../../domain/plain/platforms.ts"
import { changedTexts, type TextChange } from "./changes.ts"

/** Such as `Part 3 · On X · added`; empty for a text that all platforms share. */
const describeWhere = ({ note, part, platform }: TextChange): string =>
  [
    part === undefined ? undefined : `Part ${part}`,
    platform === undefined ? undefined : `On ${platformName(platform)}`,
    note
  ]
    .filter((words) => words !== undefined)
    .join(" · ")

export interface ChangesProps {
  readonly changes: ReadonlyArray<TextChange>
  readonly title: string
}

export const Changes = ({ changes, title }: ChangesProps) => (
  <section class="approval-changes" aria-label={title}>
    <h3>{title}</h3>
    {changes.map((change, index) => {
      const { after, before } = change
      const about = describeWhere(change)
      return (
        <div key={index} class="approval-change">
          {about !== "" && <span class="secondary small">{about}</span>}
          {before !== after && <TextDiff before={before} after={after} />}
        </div>
      )
    })}
  </section>
)

export interface ChangedMeanwhileProps {
  readonly read: PostJson
  readonly post: PostJson
}

export const isChanged = ({ post, read }: ChangedMeanwhileProps): boolean =>
  post.revision !== read.revision || post.status !== read.status || isRejected(post) !== isRejected(read)

const describeChange = (post: PostJson): string => {
  if (isRejected(post)) {
    const { decided_by: by, reason } = post.approval ?? {}
    const why = reason == null ? "." : `: ${withPeriod(reason)}`
    return `${by?.name ?? "Somebody"} rejected the post after you read it${why} There is nothing to decide.`
  }
  return post.status === "draft"
    ? "The post was changed after you read it. Nothing was decided. Read the new version, then decide again."
    : "The post was changed after you read it, and is no longer a draft. There is nothing to decide."
}

export const ChangedMeanwhile = ({ post, read }: ChangedMeanwhileProps) => {
  if (!isChanged({ post, read })) return null
  const changes = changedTexts(read, post)
  return (
    <>
      <p class="approval-changed" role="alert">
        <Icon name="warning" />
        <span>{describeChange(post)}</span>
      </p>
      {changes.length > 0 && <Changes title="Changed since you read it" changes={changes} />}
    </>
  )
}
