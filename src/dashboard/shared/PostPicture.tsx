import { useState } from "preact/hooks"
import type { PostJson } from "../api/posts.ts"
import { classes } from "../ui/classes.ts"
import { Icon } from "../ui/Icon.tsx"
import { mediaPath } from "./mediaPath.ts"

/** The files of the first part that has files. */
export const shownFiles = ({ media, thread }: PostJson): PostJson["media"] =>
  [media, ...thread.map((part) => part.media)].find((files) => files.length > 0) ?? []

/** Hidden from screen readers, because the post's page names its files. */
export const PostPicture = ({ class: className, post }: { readonly post: PostJson; readonly class?: string }) => {
  const files = shownFiles(post)
  const [first] = files
  const [failed, setFailed] = useState<string>()
  if (first === undefined) return null
  // A video has no picture. A file without a type is still processed, or was deleted.
  const hasPicture = first.type !== null && first.type !== "video" && failed !== first.id
  return (
    <span class={classes("picture", className)} aria-hidden="true">
      {hasPicture ? (
        <img
          src={mediaPath(first.id, "thumbnail")}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => setFailed(first.id)}
        />
      ) : (
        <Icon name={first.type === "video" ? "play" : "image"} size={14} />
      )}
      {files.length > 1 && <span class="picture-more numbers">{files.length}</span>}
    </span>
  )
}
