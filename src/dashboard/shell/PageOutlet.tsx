import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { withLateStyles } from "../shared/lateStyles.ts"
import type { PageProps } from "../shared/router.tsx"
import { Button } from "../ui/controls/Button.tsx"
import { EmptyState } from "../ui/display/EmptyState.tsx"
import { Loading, Skeleton } from "../ui/display/Skeleton.tsx"
import type { Matched, Route } from "./routes.ts"

const loaded = new Map<string, ComponentType<PageProps>>()

/** A failure is not cached, so that a retry works. */
const loadPage = async (route: Route) => {
  const code = route.load()
  const { Page } = await (route.hasFirstStyles === true ? code : withLateStyles(code))
  loaded.set(route.path, Page)
}

const PageSkeleton = () => (
  <div class="page">
    <Loading />
    <Skeleton lines={2} />
    <Skeleton lines={6} height="row" />
  </div>
)

/** Milliseconds between two tries to load the page's code. */
const retryMillis = 3000

/** Milliseconds. A younger document is reloaded only after an outage, so that it is not reloaded again and again. */
const reloadMillis = 60_000

const isReachable = async (): Promise<boolean> => {
  try {
    return (await fetch("/healthz")).ok
  } catch {
    return false
  }
}

export const PageOutlet = ({ params, route }: Matched) => {
  const [, render] = useState(0)
  const [failed, setFailed] = useState<string>()
  const Page = loaded.get(route.path)
  const isMissing = Page === undefined
  useEffect(() => {
    if (!isMissing) return
    let wasAway = false
    // Browsers remember a failed import, and after an update the file has another name. Only a reload helps.
    const reload = async () => {
      const isBack = await isReachable()
      if (isBack && (wasAway || performance.now() > reloadMillis)) window.location.reload()
      wasAway ||= !isBack
    }
    const show = async () => {
      try {
        await loadPage(route)
        render((count) => count + 1)
      } catch {
        setFailed(route.path)
        await reload()
      }
    }
    void show()
    const timer = setInterval(() => void show(), retryMillis)
    return () => clearInterval(timer)
  }, [route.path, isMissing])
  if (Page !== undefined) return <Page key={route.path} params={params} />
  if (failed !== route.path) return <PageSkeleton />
  return (
    <EmptyState
      isPage
      icon="refresh"
      title="This page could not be loaded"
      action={<Button onClick={() => window.location.reload()}>Reload</Button>}
    >
      <p>
        The connection may be gone, or the dashboard was updated while it was open. It loads by itself once the service
        can be reached.
      </p>
    </EmptyState>
  )
}
