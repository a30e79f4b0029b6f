import { useEffect, useState } from "preact/hooks"
import type { LivePlatform } from "../../../domain/platform.ts"
import { liveFacts } from "../../../platforms/facts.ts"
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
import { isLive, livePlatforms, platformName } from "../../../domain/plain/platforms.ts"
import { AccountCard, type Connect, EmptyAccountCard } from "./AccountCard.tsx"
import { ConnectDialog, type ConnectDialogProps } from "./ConnectDialog.tsx"
import { DisconnectDialog } from "./DisconnectDialog.tsx"

/** Messages by the reason in a platform's redirect. */
const refusals: ReadonlyMap<string, (name: string) => string> = new Map([
  ["canceled", (name) => `The account stays as it was, and the access that you gave on ${name} has ended.`],
  ["declined", (name) => `You did not give access on ${name}, so nothing was changed.`],
  ["unavailable", (name) => `${name} could not be reached, so nothing was changed. Try again in a few minutes.`]
])
const refused = (name: string) => `${name} did not accept the connection, so nothing was changed. Connect it again.`

const useReturn = () => {
  const { query } = useLocation()
  const connected = query.get("connected")
  const error = query.get("error")
  const from = query.get("from") ?? ""
  const [refusal, setRefusal] = useState<string>()
  useEffect(() => {
    if (connected !== null) toast("Connected", { tone: "success" })
    // The previous version starts without `from`, and only for X.
    if (error !== null) setRefusal((refusals.get(error) ?? refused)(platformName(isLive(from) ? from : "twitter")))
    if (connected !== null || error !== null) setQuery({ connected: undefined, error: undefined, from: undefined })
  }, [connected, error])
  return refusal
}

export const Page = () => {
  const accounts = useQuery(integrations)
  const platforms = useQuery(platformList)
  const can = useCan()
  const refusal = useReturn()
  const [opening, setOpening] = useState<LivePlatform>()
  const [filling, setFilling] = useState<Pick<ConnectDialogProps, "platform" | "form">>()
  const [leaving, setLeaving] = useState<IntegrationJson>()

  const connect = async (platform: LivePlatform) => {
    const { link } = liveFacts[platform]
    if (link.kind === "form") {
      setFilling({ platform, form: link })
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

  const list = accounts.data?.data
  const inReview = platforms.data?.data.filter(({ state }) => state === "in_review")
  /** An account is shown even if its platform is no longer enabled. */
  const shown = livePlatforms.filter(
    (platform) =>
      list?.some((each) => each.platform === platform) === true ||
      inReview?.every((each) => each.platform !== platform) === true
  )
  const connectOf = (platform: LivePlatform): Connect | undefined =>
    can("integrations:write") ? { busy: opening === platform, run: () => void connect(platform) } : undefined

  return (
    <div class="page">
      <PageHeader title="Accounts" description="Where your posts go out. Each platform has one account." />
      {refusal !== undefined && <FormError>{refusal}</FormError>}
      <LoadError error={accounts.error} onRetry={accounts.refetch} />
      <LoadError error={platforms.error} onRetry={platforms.refetch} />
      {(accounts.isLoading || platforms.isLoading) && (
        <>
          <Loading />
          <div class="accounts">
            <Skeleton height="card" lines={1} />
            <Skeleton height="card" lines={1} />
          </div>
        </>
      )}
      {list !== undefined && !platforms.isLoading && (
        <ul class="accounts">
          {shown.map((platform) => {
            const account = list.find((each) => each.platform === platform)
            return account === undefined ? (
              <EmptyAccountCard key={platform} platform={platform} connect={connectOf(platform)} />
            ) : (
              <AccountCard
                key={platform}
                account={account}
                connect={connectOf(platform)}
                onDisconnect={
                  can("integrations:write")
                    ? () => {
                        setLeaving(account)
                      }
                    : undefined
                }
              />
            )
          })}
        </ul>
      )}
      {inReview !== undefined && inReview.length > 0 && (
        <section class="accounts-review" aria-labelledby="in-review">
          <h2 id="in-review">In review</h2>
          <ul>
            {inReview.map(({ platform }) => (
              <li key={platform}>
                <span aria-hidden="true">
                  <PlatformMark platform={platform} />
                </span>
                <span>{platformName(platform)} is still in platform review and can’t be connected yet</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {filling !== undefined && (
        <ConnectDialog
          {...filling}
          username={list?.find(({ platform }) => platform === filling.platform)?.username}
          onClose={() => {
            setFilling(undefined)
          }}
          onConnected={(username) => {
            setFilling(undefined)
            toast(`Connected @${username}`, { tone: "success" })
            invalidate("/v1/integrations")
          }}
        />
      )}
      {leaving !== undefined && (
        <DisconnectDialog
          account={leaving}
          onClose={() => {
            setLeaving(undefined)
          }}
        />
      )}
    </div>
  )
}
