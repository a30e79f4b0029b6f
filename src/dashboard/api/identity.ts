import { readStored, writeStored } from "../store/browserStorage.ts"

/** The storage key for user and workspace. All tabs share them, like the session's cookie. */
const name = "session"

/** The page's user and workspace; undefined until the service has named them. */
let own: string | undefined

/** True if another tab changed the person or workspace, so that the cookie no longer matches this page. */
const isOutdated = (): boolean => {
  const shared = readStored(name)
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
  // If the browser forbids storage, each tab finds out with its next request.
  writeStored(name, `${userId}:${workspaceId}`)
}

/** Adopts the identity that the service names. Reloads a page that showed another identity's data. */
export const adoptIdentity = (userId: string, workspaceId: string) => {
  const identity = `${userId}:${workspaceId}`
  if (readStored(name) !== identity) shareIdentity(userId, workspaceId)
  if (own === undefined) own = identity
  else if (own !== identity) window.location.reload()
}

/** True if somebody logged in with this browser and has not logged out. */
export const wasLoggedIn = (): boolean => own !== undefined || readStored(name) !== null

/** Returns a function that is true until a tab changes the person or workspace. */
export const watchIdentity = (): (() => boolean) => {
  const [page, shared] = [own, readStored(name)]
  return () => own === page && readStored(name) === shared
}

/** Clears the identity before a log-in: waiting requests must not continue as another person. */
export const forgetIdentity = () => {
  own = undefined
}

/** Clears the identity after a log-out. The next person then sees no message about an ended session. */
export const dropIdentity = () => {
  forgetIdentity()
  writeStored(name, undefined)
}
