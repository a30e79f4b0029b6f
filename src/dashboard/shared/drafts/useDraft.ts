import { useMemo } from "preact/hooks"
import { makeStore } from "../../store/makeStore.ts"
import { useStore } from "../../store/useStore.ts"
import { useMe } from "../me.ts"
import { prefix, read, write } from "./keptDrafts.ts"

export interface Draft<A> {
  readonly value: A
  /** Passes the current value to the function, because a slow caller, such as an upload, may have an earlier one. */
  readonly change: (change: (value: A) => A) => void
  readonly clear: () => void
  /** Uses a new value, but stores it only once it is changed. */
  readonly startFrom: (value: A) => void
  /** True if the value was typed earlier but never saved. */
  readonly isRestored: boolean
}

/**
 * Keeps typed text in this browser until it is saved, for this person and workspace only.
 * @param key What the draft belongs to, such as `post:ID` or `compose`.
 * @param restore Decodes the stored value; undefined if it is invalid.
 */
export const useDraft = <A>(
  key: string,
  initial: A,
  restore: (kept: unknown, initial: A) => A | undefined
): Draft<A> => {
  const { caller, workspace } = useMe()
  const name = `${prefix}${caller.id}:${workspace.id}:${key}`
  const state = useMemo(() => {
    const kept = restore(read(name), initial)
    return makeStore({ value: kept ?? initial, isRestored: kept !== undefined })
  }, [name])
  const startFrom = (value: A) => {
    write(name, undefined)
    state.set({ value, isRestored: false })
  }
  return {
    ...useStore(state),
    change: (change) => {
      const { isRestored, value: before } = state.get()
      const value = change(before)
      if (Object.is(value, before)) return
      write(name, value)
      state.set({ value, isRestored })
    },
    clear: () => startFrom(initial),
    startFrom
  }
}
