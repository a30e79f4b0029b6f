import { useMemo } from "preact/hooks"
import { useQuery } from "../../api/query.ts"
import { slotsIn } from "../../api/slots.ts"
import { freeSlots } from "../../shared/plan/freeTimes.ts"
import { dayKey } from "../../ui/time/day.ts"
import { useNow } from "../../ui/time/Time.tsx"
import type { Block } from "./weeks.ts"

const none: ReadonlyArray<never> = []

const useSlots = (blocks: ReadonlyArray<Block>, slot: number) => {
  const block = blocks.find((each) => each.slot === slot)
  return useQuery(block && slotsIn(block.from, block.to)).data?.data ?? none
}

/** The queue's free slots of each day by its `dayKey`. Empty if the queue has no times. */
export const useFreeSlots = (blocks: ReadonlyArray<Block>) => {
  const now = useNow()
  // One hook for each of the `maxBlocks` slots.
  const loaded = [useSlots(blocks, 0), useSlots(blocks, 1), useSlots(blocks, 2)]
  return useMemo(
    () =>
      Map.groupBy(
        loaded.flatMap((slots) => freeSlots(slots, now)),
        (slot) => dayKey(slot)
      ),
    [...loaded, now]
  )
}
