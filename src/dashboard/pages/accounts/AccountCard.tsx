import { Fragment } from "preact"
import type { LivePlatform } from "../../../domain/platform.ts"
import { avatarPath, type IntegrationJson, oneIntegration } from "../../api/integrations.ts"
import { useQuery } from "../../api/query.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Avatar } from "../../ui/display/Avatar.tsx"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { accountName, platformName } from "../../../domain/plain/platforms.ts"
import { Time } from "../../ui/time/Time.tsx"
import { Link } from "../../shared/router.tsx"
import { waitingParts } from "./waiting.ts"

type Waits = Parameters<typeof waitingParts>[0]

/** Props of this type are undefined if the person's role can't connect accounts. */
export interface Connect {
  readonly busy: boolean
  readonly run: () => void
}

export interface AccountCardProps {
  readonly account: IntegrationJson
  readonly connect: Connect | undefined
  readonly onDisconnect: (account: IntegrationJson) => void
}

const askAdmin = "An admin of this workspace can connect it."

/** Each count leads to its posts. */
const Waiting = ({ platform, waiting }: { readonly platform: string; readonly waiting: Waits }) => {
  const parts = waitingParts(waiting)
  if (parts.length === 0) return <>Nothing</>
  return (
    <>
      {parts.map(({ status, text }, index) => (
        <Fragment key={status}>
          {index > 0 && ", "}
          <Link href={`/posts?status=${status}&platform=${platform}`}>{text}</Link>
        </Fragment>
      ))}
    </>
  )
}

const Facts = ({ account: { id, platform } }: Pick<AccountCardProps, "account">) => {
  const { data } = useQuery(oneIntegration(id))
  const at = data?.data.last_published_at
  return (
    <dl class="account-facts">
      <div>
        <dt>Last post</dt>
        <dd>{at === undefined ? "…" : at === null ? "None yet" : <Time at={at} />}</dd>
      </div>
      <div>
        <dt>Waiting</dt>
        <dd>{data === undefined ? "…" : <Waiting platform={platform} waiting={data.data.waiting} />}</dd>
      </div>
    </dl>
  )
}

export const AccountCard = ({ account, connect, onDisconnect }: AccountCardProps) => {
  const { display_name, platform, status, username } = account
  const name = display_name ?? username
  const isConnected = status === "connected"
  return (
    <li class="account">
      <header class="account-head">
        <Avatar name={name} src={avatarPath(account)} size="large" />
        <div class="account-names">
          <h2 class="truncate" title={name}>
            {name}
          </h2>
          {accountName(platform, username) !== name && (
            <p class="secondary truncate">{accountName(platform, username)}</p>
          )}
        </div>
        <PlatformMark platform={platform} size={18} />
      </header>
      <p class={`account-state status-${isConnected ? "published" : "unknown"}`}>
        <Icon name={isConnected ? "check" : "warning"} />
        {isConnected ? "Connected" : "Has to be connected again"}
      </p>
      <Facts account={account} />
      {!isConnected && (
        <p class="small secondary">
          {platformName(platform)} ended the access. Nothing goes out until it is connected again; then the waiting
          posts go out. {connect === undefined && askAdmin}
        </p>
      )}
      {connect !== undefined && (
        <footer class="account-actions">
          <Button
            kind={isConnected ? "secondary" : "primary"}
            busy={connect.busy}
            aria-label={`Reconnect ${platformName(platform)}`}
            onClick={connect.run}
          >
            Reconnect
          </Button>
          <Button
            kind="quiet"
            aria-label={`Disconnect ${platformName(platform)}`}
            onClick={() => onDisconnect(account)}
          >
            Disconnect
          </Button>
        </footer>
      )}
    </li>
  )
}

export interface EmptyAccountCardProps {
  readonly platform: LivePlatform
  readonly connect: Connect | undefined
}

export const EmptyAccountCard = ({ connect, platform }: EmptyAccountCardProps) => (
  <li class="account account-empty">
    <header class="account-head">
      <span class="account-mark">
        <PlatformMark platform={platform} size={18} />
      </span>
      <div class="account-names">
        <h2>{platformName(platform)}</h2>
        <p class="secondary">Not connected</p>
      </div>
    </header>
    <p class="secondary">
      {connect === undefined ? askAdmin : `Connect an account to publish on ${platformName(platform)}.`}
    </p>
    {connect !== undefined && (
      <footer class="account-actions">
        <Button
          kind="primary"
          busy={connect.busy}
          aria-label={`Connect ${platformName(platform)}`}
          onClick={connect.run}
        >
          Connect
        </Button>
      </footer>
    )}
  </li>
)
