import { useEffect, useState } from "preact/hooks"
import type { LivePlatform, Platform } from "../../../domain/platform.ts"
import { liveFacts } from "../../../platforms/facts.ts"
import { describeReview } from "../../api/describeReview.ts"
import { describeFailure } from "../../api/errors.ts"
import { connectByConsent, type IntegrationJson, integrations } from "../../api/integrations.ts"
import { platformList } from "../../api/platforms.ts"
import { invalidate, useQuery } from "../../api/query.ts"
import { useCan } from "../../shared/me.ts"
import { LoadError } from "../../shared/page/LoadError.tsx"
import { PageHeader } from "../../shared/page/PageHeader.tsx"
import { setQuery, useLocation } from "../../shared/router.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"
import { accountName, isLive, livePlatforms, platformName, unusedAccess } from "../../../domain/plain/platforms.ts"
import { useOpen } from "../../ui/useOpen.ts"
import { AccountCard, type Connect, EmptyAccountCard } from "./AccountCard.tsx"
import { ConnectDialog, type ConnectDialogProps } from "./ConnectDialog.tsx"
import { DisconnectDialog } from "./DisconnectDialog.tsx"

/** Messages by the reason that the address contains after a redirect. */
const refusals: ReadonlyMap<string, (platform: LivePlatform) => string> = new Map([
  ["canceled", (platform) => `Nothing was changed. ${unusedAccess(platform)}`],
  ["declined", (platform) => `You did not give access on ${platformName(platform)}, so nothing was changed.`],
  [
    "unavailable",
    (platform) => `${platformName(platform)} could not be reached, so nothing was changed. Try again in a few minutes.`
  ]
])
const refused = (platform: LivePlatform) =>
  `${platformName(platform)} did not accept the connection, so nothing was changed. Connect it again.`

const useReturn = () => {
  const { query } = useLocation()
  const connected = query.get("connected")
  const error = query.get("error")
  const from = query.get("from") ?? ""
  const [refusal, setRefusal] = useState<string>()
  useEffect(() => {
    if (connected !== null) toast("Connected", { tone: "success" })
    // The previous version of the service sends no `from`, and only connects X.
    if (error !== null) setRefusal((refusals.get(error) ?? refused)(isLive(from) ? from : "twitter"))
    if (connected !== null || error !== null) setQuery({ connected: undefined, error: undefined, from: undefined })
  }, [connected, error])
  return refusal
}

/** Connects an account on a page of the platform, or in a form of the dashboard. */
const useConnect = () => {
  const can = useCan()
  const [opening, setOpening] = useState<LivePlatform>()
  const form = useOpen<Pick<ConnectDialogProps, "platform" | "form">>()
  const connect = async (platform: LivePlatform) => {
    const { link } = liveFacts[platform]
    if (link.kind === "form") {
      form.open({ platform, form: link })
      return
    }
    setOpening(platform)
    const outcome = await connectByConsent(platform)
    if (outcome.ok) {
      window.location.assign(outcome.data.data.authorize_url)
      return
    }
    setOpening(undefined)
    toast(describeFailure(outcome.error), { tone: "error" })
  }
  return {
    form,
    connectOf: (platform: LivePlatform): Connect | undefined =>
      can("integrations:write") ? { busy: opening === platform, run: () => void connect(platform) } : undefined
  }
}

interface AccountListProps {
  readonly list: ReadonlyArray<IntegrationJson>
  readonly shown: ReadonlyArray<LivePlatform>
}

const AccountList = ({ list, shown }: AccountListProps) => {
  const { connectOf, form } = useConnect()
  const { opened } = form
  const leaving = useOpen<IntegrationJson>()
  const accountOf = (platform: LivePlatform) => list.find((each) => each.platform === platform)
  return (
    <>
      <ul class="accounts">
        {shown.map((platform) => {
          const account = accountOf(platform)
          const connect = connectOf(platform)
          return account === undefined ? (
            <EmptyAccountCard key={platform} platform={platform} connect={connect} />
          ) : (
            <AccountCard key={platform} account={account} connect={connect} onDisconnect={leaving.open} />
          )
        })}
      </ul>
      {opened !== undefined && (
        <ConnectDialog
          {...opened}
          username={accountOf(opened.platform)?.username}
          onClose={form.close}
          onConnected={(username) => {
            form.close()
            toast(`Connected ${accountName(opened.platform, username)}`, { tone: "success" })
            invalidate("/v1/integrations")
          }}
        />
      )}
      {leaving.opened !== undefined && <DisconnectDialog account={leaving.opened} onClose={leaving.close} />}
    </>
  )
}

const InReview = ({ platforms }: { readonly platforms: ReadonlyArray<Platform> }) => (
  <section class="accounts-review" aria-labelledby="in-review">
    <h2 id="in-review">In review</h2>
    <ul>
      {platforms.map((platform) => (
        <li key={platform}>
          <span aria-hidden="true">
            <PlatformMark platform={platform} />
          </span>
          <span>{describeReview(platform)}</span>
        </li>
      ))}
    </ul>
  </section>
)

export const Page = () => {
  const accounts = useQuery(integrations)
  const platforms = useQuery(platformList)
  const refusal = useReturn()
  const list = accounts.data?.data
  const inReview = platforms.data?.data.flatMap(({ platform, state }) => (state === "in_review" ? [platform] : []))
  /** Shows an account even if its platform is no longer enabled. */
  const shown = livePlatforms.filter(
    (platform) => list?.some((each) => each.platform === platform) === true || inReview?.includes(platform) === false
  )
  const isLoading = accounts.isLoading || platforms.isLoading
  return (
    <div class="page">
      <PageHeader title="Accounts" description="Where your posts go out. Each platform has one account." />
      {refusal !== undefined && <FormError>{refusal}</FormError>}
      <LoadError error={accounts.error} onRetry={accounts.refetch} />
      <LoadError error={platforms.error} onRetry={platforms.refetch} />
      {isLoading && (
        <>
          <Loading />
          <div class="accounts">
            <Skeleton height="card" lines={1} />
            <Skeleton height="card" lines={1} />
          </div>
        </>
      )}
      {list !== undefined && !platforms.isLoading && <AccountList list={list} shown={shown} />}
      {inReview !== undefined && inReview.length > 0 && <InReview platforms={inReview} />}
    </div>
  )
}
