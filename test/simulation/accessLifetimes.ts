import { minute, second, type World } from "./world.ts"

/** In milliseconds. */
export const usualLifetime = 120 * minute

/** For seeds in which access ends before most posts are due. */
export interface AccessLifetimes {
  /** The lifetime of the next access, and the lifetime that the platform states, if any. */
  readonly draw: () => { readonly lasts: number; readonly says: number | undefined }
}

/** At most 45 minutes. Most accesses state this; some end sooner than stated. */
export const makeAccessLifetimes = (world: World): AccessLifetimes => ({
  draw: () => {
    const { access } = world
    const says = access.between(11, 45) * minute
    const lasts = world.renewalMeets("access ended early") ? access.between(second, says) : says
    return { lasts, says: access.chance(0.8) ? says : undefined }
  }
})
