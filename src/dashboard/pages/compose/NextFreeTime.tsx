import { useQuery } from "../../api/query.ts"
import { nextSlot } from "../../api/queue.ts"
import { Chip } from "../../ui/controls/Chip.tsx"
import { Time } from "../../ui/time/Time.tsx"
import type { EditorProps } from "./useEditor.ts"

/** The service takes the slot when the post is saved. If another post has it by then, that is a later one. */
export const NextFreeTime = ({ editor: { dispatch, platforms, post, state } }: EditorProps) => {
  const at = useQuery(nextSlot(platforms, post?.id)).data?.data.scheduled_at ?? null
  return (
    at !== null && (
      <div class="time-quick">
        <Chip
          icon="clock"
          pressed={state.form.at === at}
          onClick={() => dispatch({ type: "form", change: { at, slot: at } })}
        >
          Next free time: <Time as="fixed" at={at} />
        </Chip>
      </div>
    )
  )
}
