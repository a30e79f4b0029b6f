import { minute, second, type World } from "./world.ts"

/** The lifetime of a platform's access, in milliseconds. */
export const usualLifetime = 120 * minute

/** The lifetimes of accesses that end before most posts. */
export interface AccessLifetimes {
  /** The lifetime of the next access, and what the platform says of it; undefined if it does not say. */
  readonly draw: () => { readonly lasts: number; readonly says: number | undefined }
}

/** Accesses of at most 45 minutes, most of which say so. Some end sooner than that. */
export const makeAccessLifetimes = (world: World): AccessLifetimes => ({
  draw: () => {
    const { access } = world
    const says = access.between(11, 45) * minute
    const lasts = world.renewalMeets("access ended early") ? access.between(second, says) : says
    return { lasts, says: access.chance(0.8) ? says : undefined }
  }
})
