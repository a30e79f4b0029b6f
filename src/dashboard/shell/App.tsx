import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import { setSessionEndedHandler } from "../api/client.ts"
import { describeFailure, type Failure, hasStatus } from "../api/errors.ts"
import { adoptIdentity, wasLoggedIn } from "../api/identity.ts"
import { profile } from "../api/profile.ts"
import { useQuery } from "../api/query.ts"
import { zoneRules } from "../api/timeZones.ts"
import { me, type Me } from "../api/session.ts"
import { MeProvider } from "../shared/me.ts"
import { adoptPreferences, hasPreferences } from "../shared/preferences.ts"
import { followPath, Link, loginPath, navigate, useLocation } from "../shared/router.tsx"
import { Button } from "../ui/controls/Button.tsx"
import { dismissErrors, Toasts } from "../ui/dialogs/Toasts.tsx"
import { EmptyState } from "../ui/display/EmptyState.tsx"
import { useStore } from "../store/useStore.ts"
import { Loading, Skeleton } from "../ui/display/Skeleton.tsx"
import { adoptZoneRules, hasZoneRules, shownZone, timeSettings } from "../ui/time/zone.ts"
import { PageOutlet } from "./PageOutlet.tsx"
import { PauseBar } from "./PauseBar.tsx"
import { findRoute, type Matched, titleOf } from "./routes.ts"
import { Shell } from "./Shell.tsx"

followPath(dismissErrors)

setSessionEndedHandler(() => {
  const matched = findRoute(window.location.pathname)
  if (matched?.route.isPublic !== true) navigate(loginPath(wasLoggedIn()), { replace: true, force: true })
})

const ShellSkeleton = () => (
  <div class="shell" aria-busy="true">
    <Loading />
    <div class="topbar" />
    <div class="rail">
      <Skeleton lines={6} />
    </div>
    <main class="main">
      <PauseBar />
      <div class="page">
        <Skeleton lines={2} />
        <Skeleton lines={6} height="row" />
      </div>
    </main>
  </div>
)

const Unreachable = ({ error, retry }: { readonly error: Failure; readonly retry: () => void }) => (
  <EmptyState
    isPage
    icon="warning"
    title="The dashboard can’t load"
    action={<Button onClick={retry}>Try again</Button>}
  >
    <p>{describeFailure(error)}</p>
  </EmptyState>
)

const NoAccess = () => (
  <EmptyState isPage icon="key" title="Your role has no access to this page">
    <p>An admin of the workspace can change your role under Settings, Members.</p>
  </EmptyState>
)

const NotFound = () => (
  <EmptyState isPage icon="search" title="Page not found" action={<Link href="/">Go to the calendar</Link>}>
    <p>The address may be mistyped, or the page has moved.</p>
  </EmptyState>
)

const mayOpen = ({ route }: Matched, { caller }: Me): boolean =>
  (route.scope === undefined || caller.scopes.includes(route.scope)) &&
  (route.isAdmin !== true || caller.role === "admin")

/** Returns true once the preferences are known or can't be loaded. */
const usePreferences = (): boolean => {
  const { data, error } = useQuery(profile)
  const [isAdopted, setAdopted] = useState(hasPreferences)
  const wanted = data?.data
  useEffect(() => {
    if (wanted === undefined) return
    adoptPreferences(wanted)
    setAdopted(true)
  }, [wanted])
  return isAdopted || error !== undefined
}

/** In milliseconds. */
const zoneRetry = 15_000
const longestZoneWait = 5_000

interface ZoneState {
  /** True once the rules are known, can't be loaded, or take too long. Stays true, so that the page stays. */
  readonly isReady: boolean
  /** Loads rules again that could not be loaded; undefined if they are known or on their way. */
  readonly retry: (() => void) | undefined
}

/** Loads the service's rules of the shown zone, again and again if they can't be loaded. */
const useZoneRules = (): ZoneState => {
  const zone = shownZone()
  const isKnown = hasZoneRules(zone)
  const { data, error, refetch } = useQuery(zoneRules(zone), { every: isKnown ? 0 : zoneRetry })
  const [lateZone, setLateZone] = useState<string>()
  const [isReady, setReady] = useState(isKnown)
  useLayoutEffect(() => {
    if (data !== undefined) adoptZoneRules(data)
    if (data !== undefined || error !== undefined) setReady(true)
  }, [data, error])
  useEffect(() => {
    if (isKnown) return
    const timer = setTimeout(() => {
      setLateZone(zone)
      setReady(true)
    }, longestZoneWait)
    return () => clearTimeout(timer)
  }, [zone, isKnown])
  return { isReady, retry: !isKnown && (error !== undefined || lateZone === zone) ? refetch : undefined }
}

const LoggedIn = ({ matched, title }: { readonly matched: Matched | undefined; readonly title: string }) => {
  const { data, error, refetch } = useQuery(me)
  const hasPreferred = usePreferences()
  const { isReady, retry } = useZoneRules()
  const isLookKnown = isReady && hasPreferred
  // Renders all times again if the zone or the clock changes.
  useStore(timeSettings)
  const user = data?.data.caller.id
  const workspace = data?.data.workspace.id
  // `useEffect` runs after the next frame. Something that the person does before that would be sent for the previous
  // user.
  useLayoutEffect(() => {
    if (user !== undefined && workspace !== undefined) adoptIdentity(user, workspace)
  }, [user, workspace])
  if (data === undefined || !isLookKnown) {
    const isEnding = hasStatus(error, 401)
    return error === undefined || isEnding ? <ShellSkeleton /> : <Unreachable error={error} retry={refetch} />
  }
  return (
    <MeProvider value={data.data}>
      <Shell title={title} retryZone={retry}>
        {matched === undefined ? (
          <NotFound />
        ) : mayOpen(matched, data.data) ? (
          <PageOutlet {...matched} />
        ) : (
          <NoAccess />
        )}
      </Shell>
    </MeProvider>
  )
}

export const App = () => {
  const { path, query } = useLocation()
  const matched = findRoute(path)
  const title = titleOf(matched, query)
  // Set before the paint, because screen readers read the title when the page gets the focus.
  useLayoutEffect(() => {
    document.title = `${title} · Social publisher`
  }, [title])
  return (
    <>
      {matched?.route.isPublic === true ? <PageOutlet {...matched} /> : <LoggedIn matched={matched} title={title} />}
      <Toasts />
    </>
  )
}
