import { minute, second, type World } from "./world.ts"

/** In milliseconds. */
export const usualLifetime = 120 * minute

/** For accesses that end before most posts. */
export interface AccessLifetimes {
  /** The lifetime of the next access, and the platform's statement of it, if any. */
  readonly draw: () => { readonly lasts: number; readonly says: number | undefined }
}

/** At most 45 minutes, and most accesses say so. Some end sooner. */
export const makeAccessLifetimes = (world: World): AccessLifetimes => ({
  draw: () => {
    const { access } = world
    const says = access.between(11, 45) * minute
    const lasts = world.renewalMeets("access ended early") ? access.between(second, says) : says
    return { lasts, says: access.chance(0.8) ? says : undefined }
  }
})
