import { useBegun } from "./unsaved.ts"
import { UnsavedNote } from "./UnsavedNote.tsx"

const maxWords = 60

/** Begun posts that were not saved as drafts yet, such as those written without a connection. */
export const BegunPosts = () => {
  const { begun, discard } = useBegun()
  return begun.map(({ name, text }) => (
    <UnsavedNote key={name} href="/compose" onDiscard={() => discard(name)}>
      A post that you began is only in this browser: “{text.length > maxWords ? `${text.slice(0, maxWords)}…` : text}”
    </UnsavedNote>
  ))
}
