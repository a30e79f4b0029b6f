import { hasStatus } from "../../api/errors.ts"
import { invalidate, setData, useMutation, useQuery } from "../../api/query.ts"
import { queue, type QueueEntryJson, type QueueJson, replaceQueue } from "../../api/queue.ts"
import { sayFailure } from "../../shared/report.ts"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { shownZone } from "../../ui/time/zone.ts"

interface QueueChange {
  readonly zone?: string
  readonly entries?: ReadonlyArray<QueueEntryJson>
}

/** The subject of messages about the queue. */
export const aboutQueue = queue.path

/** The zone of a queue that nobody has set yet is the person's. */
export const zoneOf = ({ time_zone: zone }: QueueJson): string => zone ?? shownZone()

/** Each change is saved at once, and only if nobody else has changed the queue since it was shown. */
export const useQueue = () => {
  const loaded = useQuery(queue)
  const { isPending, run } = useMutation(
    ({ change, from }: { readonly from: QueueJson; readonly change: QueueChange }) =>
      replaceQueue(from, { time_zone: change.zone ?? zoneOf(from), entries: change.entries ?? from.entries })
  )
  return {
    loaded,
    isPending,
    /** True if the change is saved. */
    save: async (from: QueueJson, change: QueueChange): Promise<boolean> => {
      const outcome = await run({ from, change })
      if (outcome.ok) {
        setData(queue, outcome.data)
        invalidate("/v1/queue/next", "/v1/queue/slots")
        return true
      }
      invalidate("/v1/queue")
      if (hasStatus(outcome.error, 412)) {
        toast("Somebody else has changed the queue meanwhile. Look at it, and change it again.", {
          tone: "error",
          about: aboutQueue
        })
      } else sayFailure(outcome.error, aboutQueue)
      return false
    }
  }
}
