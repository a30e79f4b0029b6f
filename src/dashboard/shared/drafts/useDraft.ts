import { useMemo } from "preact/hooks"
import { makeStore } from "../../store/makeStore.ts"
import { useStore } from "../../store/useStore.ts"
import { useMe } from "../me.ts"
import { prefix, read, write } from "./keptDrafts.ts"

export interface Draft<A> {
  readonly value: A
  /** The function receives the current value: a slow caller, such as an upload, may have an older one. */
  readonly change: (change: (value: A) => A) => void
  readonly clear: () => void
  /** Stores the new value only once it is changed. */
  readonly startFrom: (value: A) => void
  /** True if the value was typed earlier and never saved. */
  readonly isRestored: boolean
}

/**
 * Keeps typed input in this browser until it is saved, only for that person and workspace.
 * @param key The owner of the draft, such as `post:ID` or `compose`.
 * @param restore Decodes the kept value; undefined if it is invalid.
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
