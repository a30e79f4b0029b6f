import { readStored, writeStored } from "../store/browserStorage.ts"

/** The user and workspace are stored under this name. All tabs share them, like the session's cookie. */
const name = "session"

/** The page's user and workspace; undefined until the service has named them. */
let own: string | undefined

/** True if another tab has changed the person or workspace. */
const isOutdated = (): boolean => {
  const shared = readStored(name)
  return own !== undefined && shared !== null && shared !== own
}

/** Reloads the page, and returns true, if the cookie belongs to somebody else. */
export const leaveIfOutdated = (): boolean => {
  if (!isOutdated()) return false
  window.location.reload()
  return true
}

window.addEventListener("storage", ({ key }) => {
  if (key === name) leaveIfOutdated()
})

export const shareIdentity = (userId: string, workspaceId: string) => {
  // If the browser forbids storage, each tab learns of it with its next request.
  writeStored(name, `${userId}:${workspaceId}`)
}

/** Reloads the page if it showed data of another user or workspace. */
export const adoptIdentity = (userId: string, workspaceId: string) => {
  const identity = `${userId}:${workspaceId}`
  if (readStored(name) !== identity) shareIdentity(userId, workspaceId)
  if (own === undefined) own = identity
  else if (own !== identity) window.location.reload()
}

/** True if somebody logged in with this browser and has not logged out. */
export const wasLoggedIn = (): boolean => own !== undefined || readStored(name) !== null

/** Returns a function that returns true until a tab changes the person or workspace. */
export const watchIdentity = (): (() => boolean) => {
  const [page, shared] = [own, readStored(name)]
  return () => own === page && readStored(name) === shared
}

/** Called before a log-in, so that waiting requests do not continue as another person. */
export const forgetIdentity = () => {
  own = undefined
}

/** Called after a log-out, so that the next person sees no message about an ended session. */
export const dropIdentity = () => {
  forgetIdentity()
  writeStored(name, undefined)
}
