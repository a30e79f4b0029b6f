import { useMemo } from "preact/hooks"
import { makeStore } from "../../store/makeStore.ts"
import { useStore } from "../../store/useStore.ts"
import { useMe } from "../me.ts"
import { prefix, read, write } from "./keptDrafts.ts"

export interface Draft<A> {
  readonly value: A
  /** Takes the value of the moment, which something slow, such as an upload, finds changed since it began. */
  readonly change: (change: (value: A) => A) => void
  /** Forgets it, as after it was saved. */
  readonly clear: () => void
  /** Forgets it, and goes on from another value, which is kept only once it is changed. */
  readonly startFrom: (value: A) => void
  /** Whether it was typed before and never saved. */
  readonly isRestored: boolean
}

/**
 * What a person types, kept in this browser until it is saved, for that person and workspace alone.
 *
 * @param key Names what it belongs to, such as `post:ID` or `compose`.
 * @param restore The value that was kept; undefined where that is none.
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
      write(name, value)
      state.set({ value, isRestored })
    },
    clear: () => {
      startFrom(initial)
    },
    startFrom
  }
}
