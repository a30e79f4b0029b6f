import { type ChannelJson, channelLog, resendToChannel } from "../../api/channels.ts"
import { usePages } from "../../api/pages.ts"
import { ListEnd } from "../../shared/page/ListEnd.tsx"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { report } from "../../shared/report.ts"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { LoggedDelivery } from "./LoggedDelivery.tsx"

/** Milliseconds between reloads. Most messages are sent within seconds. */
const every = 5000

export interface ChannelLogProps {
  readonly channel: ChannelJson
  readonly onClose: () => void
}

export const ChannelLog = ({ channel: { id, name }, onClose }: ChannelLogProps) => {
  const log = channelLog(id)
  const list = usePages(log, { every })
  return (
    <Dialog title="Messages" size="large" hasAddress onClose={onClose}>
      <p class="secondary truncate">{name}</p>
      <LoadState of={list} height="row" lines={4} />
      {list.items?.length === 0 && <p class="delivery-none secondary">Nothing was sent in the last 30 days.</p>}
      {list.items !== undefined && list.items.length > 0 && (
        <ul class="settings-list">
          {list.items.map((delivery) => (
            <LoggedDelivery
              key={delivery.id}
              delivery={delivery}
              sendAgainLabel={`Send again to ${name}`}
              onSendAgain={() => void report(resendToChannel(id, delivery.id), log.path, "Sent again")}
            />
          ))}
        </ul>
      )}
      <ListEnd list={list} />
    </Dialog>
  )
}
