/** The storage key for user and workspace. All tabs share them, like the session's cookie. */
const name = "session"

/** The page's user and workspace; undefined until the service has named them. */
let own: string | undefined

const readShared = (): string | null => {
  try {
    return window.localStorage.getItem(name)
  } catch {
    return null
  }
}

/** True if another tab changed the person or workspace, so that the cookie no longer matches this page. */
const isOutdated = (): boolean => {
  const shared = readShared()
  return own !== undefined && shared !== null && shared !== own
}

/** Reloads the page if the cookie is for somebody else. Returns true if it does. */
export const leaveIfOutdated = (): boolean => {
  if (!isOutdated()) return false
  window.location.reload()
  return true
}

window.addEventListener("storage", ({ key }) => {
  if (key === name) leaveIfOutdated()
})

/** Tells other tabs about the cookie's user and workspace. */
export const shareIdentity = (userId: string, workspaceId: string) => {
  try {
    window.localStorage.setItem(name, `${userId}:${workspaceId}`)
  } catch {
    // The browser forbids storage: each tab finds out with its next request.
  }
}

/** Adopts the identity that the service names. Reloads a page that was about another. */
export const adoptIdentity = (userId: string, workspaceId: string) => {
  const identity = `${userId}:${workspaceId}`
  if (readShared() !== identity) shareIdentity(userId, workspaceId)
  if (own === undefined) own = identity
  else if (own !== identity) window.location.reload()
}

/** True if somebody logged in with this browser and has not logged out. */
export const wasLoggedIn = (): boolean => own !== undefined || readShared() !== null

/** Returns a function: true while the cookie belongs to the same person, as far as the tabs know. */
export const watchIdentity = (): (() => boolean) => {
  const [page, shared] = [own, readShared()]
  return () => own === page && readShared() === shared
}

/** Clears the identity before a log-in: waiting requests must not continue as another person. */
export const forgetIdentity = () => {
  own = undefined
}

/** Clears it after a log-out, so that the next person sees no message about an ended session. */
export const dropIdentity = () => {
  forgetIdentity()
  try {
    window.localStorage.removeItem(name)
  } catch {
    // The browser forbids storage, so nothing was kept.
  }
}
