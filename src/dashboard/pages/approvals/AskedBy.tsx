import type { PostJson } from "../../api/posts.ts"
import { Time } from "../../ui/time/Time.tsx"

/** Names the author who asks for approval, and since when. */
export const AskedBy = ({ approval, created_by: by }: Pick<PostJson, "approval" | "created_by">) => {
  const at = approval?.requested_at ?? null
  return (
    <>
      {by === null ? "Asked" : `${by.name} asks`}
      {at !== null && (
        <>
          {" · "}
          <Time at={at} as="sentence" />
        </>
      )}
    </>
  )
}
