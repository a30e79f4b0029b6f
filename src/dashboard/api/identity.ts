/** What all tabs of a browser share, as they share the session's cookie: who is logged in, and in which workspace. */
const name = "session"

/** What this page is about; undefined until the service has said so. */
let own: string | undefined

const readShared = (): string | null => {
  try {
    return window.localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Whether another tab has gone on to another person or workspace, so that the cookie is not for what this page shows. */
const isOutdated = (): boolean => {
  const shared = readShared()
  return own !== undefined && shared !== null && shared !== own
}

/** Loads the page again where it is about another person or workspace than the cookie by now. Returns whether it does. */
export const leaveIfOutdated = (): boolean => {
  if (!isOutdated()) return false
  window.location.reload()
  return true
}

window.addEventListener("storage", ({ key }) => {
  if (key === name) leaveIfOutdated()
})

/** Tells the other tabs whom and which workspace the cookie is for. */
export const shareIdentity = (userId: string, workspaceId: string) => {
  try {
    window.localStorage.setItem(name, `${userId}:${workspaceId}`)
  } catch {
    // The browser forbids it: each tab finds out by itself when it asks the service.
  }
}

/** Takes what the service says of the caller. A page that was about another one is loaded again. */
export const adoptIdentity = (userId: string, workspaceId: string) => {
  const identity = `${userId}:${workspaceId}`
  if (readShared() !== identity) shareIdentity(userId, workspaceId)
  if (own === undefined) own = identity
  else if (own !== identity) window.location.reload()
}

/** Whether somebody was logged in with this browser and has not logged out. */
export const wasLoggedIn = (): boolean => own !== undefined || readShared() !== null

/** Returns how to tell whether the cookie still is whose it is at this moment, as far as this tab and the others know. */
export const watchIdentity = (): (() => boolean) => {
  const [page, shared] = [own, readShared()]
  return () => own === page && readShared() === shared
}

/** Makes the page about nobody yet, as before a log-in in this tab: what waits for the service must not go on as another person. */
export const forgetIdentity = () => {
  own = undefined
}

/** Makes the page about nobody, as after a log-out: whoever comes next is told of no session that has ended. */
export const dropIdentity = () => {
  forgetIdentity()
  try {
    window.localStorage.removeItem(name)
  } catch {
    // The browser forbids it, and keeps nothing.
  }
}
