import { clientNetwork } from "../caller/clientNetwork.ts"

export interface ConnectionLimits {
  readonly maxConnections: number
  /** An IPv6 network with a /64 prefix counts as one address. */
  readonly maxConnectionsPerAddress: number
}

export interface Connection {
  readonly close: () => void
  readonly network: string
  used: boolean
  pendingRequests: number
}

export type Refusal = "process_full" | "address_full"

/**
 * Decides which connections may be open. If an address has too many, its new connections are refused. If the process
 * has too many, a new connection closes the one that has been idle longest. This defends against slowloris attacks:
 * deliberately slow or silent clients displace only each other.
 */
export const makeConnectionRegistry = (limits: ConnectionLimits, onDisplaced: () => void) => {
  const open = new Set<Connection>()
  const perNetwork = new Map<string, number>()
  /** Connections without an unanswered request; the one that has been idle longest is first. */
  const idle = new Set<Connection>()

  const remove = (connection: Connection): void => {
    if (!open.delete(connection)) return
    idle.delete(connection)
    const rest = (perNetwork.get(connection.network) ?? 1) - 1
    if (rest === 0) perNetwork.delete(connection.network)
    else perNetwork.set(connection.network, rest)
  }

  const displaceOldestIdle = (): boolean => {
    const oldest = idle.values().next().value
    if (oldest === undefined) return false
    remove(oldest)
    oldest.close()
    onDisplaced()
    return true
  }

  return {
    size: (): number => open.size,
    admit: (address: string, close: () => void): Connection | Refusal => {
      const network = clientNetwork(address)
      const count = perNetwork.get(network) ?? 0
      if (count >= limits.maxConnectionsPerAddress) return "address_full"
      if (open.size >= limits.maxConnections && !displaceOldestIdle()) return "process_full"
      const connection = { close, network, used: false, pendingRequests: 0 }
      open.add(connection)
      idle.add(connection)
      perNetwork.set(network, count + 1)
      return connection
    },
    requestStarted: (connection: Connection): void => {
      connection.used = true
      connection.pendingRequests += 1
      idle.delete(connection)
    },
    requestEnded: (connection: Connection): void => {
      connection.pendingRequests -= 1
      if (connection.pendingRequests === 0 && open.has(connection)) idle.add(connection)
    },
    remove,
    closeUnused: (): void => {
      for (const connection of idle) if (!connection.used) connection.close()
    },
    closeAll: (): void => {
      for (const connection of open) connection.close()
    }
  }
}
