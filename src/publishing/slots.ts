import { Duration, Record, Schema } from "effect"
import { LivePlatform } from "../domain/platform.ts"
import { liveFacts } from "../platforms/facts.ts"
import type { CallState } from "../platforms/lastCall.ts"
import type { Claim, ClaimSlots } from "../repo/targets/Targets.ts"
import { maxProbePause, probePause } from "./timing.ts"

/** Concurrent attempts of one process. */
const slotsPerPlatform = 256
const slotsPerHost = 128

/** Slots of the platform's own host, which most accounts use. The platform's other slots are for other hosts. */
const slotsOfOwnHost = Record.map(liveFacts, ({ hasOneHost }) => (hasOneHost ? slotsPerPlatform : 224))

const slotsOf = (host: string): number => (Schema.is(LivePlatform)(host) ? slotsOfOwnHost[host] : slotsPerHost)

/**
 * A host's slots until it responds, and again after a while without a response, so that other processes take most of
 * its targets.
 */
const firstSlots = 16
const respondsFor = Duration.toMillis(Duration.minutes(1))
/** Replaces `respondsFor` after a failed attempt, as this process may not reach the host. */
const respondsForAfterFailure = Duration.toMillis(Duration.seconds(5))

/** A host's circuit opens after this many attempts in a row without a response. Single attempts then probe the host. */
const failuresToOpen = 5

/** A host without an attempt is forgotten after this time, which bounds memory. */
const keptFor = Duration.minutes(10)

interface Host {
  inFlight: number
  /** In milliseconds, like the other times. */
  lastResponse: number
  unanswered: number
  /** Pauses since the circuit opened. */
  pauses: number
  nextProbe: number
  lastEnd: number
}

const isOpen = ({ unanswered }: Host): boolean => unanswered >= failuresToOpen

/** The host's slots while its circuit is closed. Hanging attempts don't matter while other attempts are answered. */
const offeredSlots = (name: string, { lastResponse, unanswered }: Host, now: number): number => {
  const responds = now - lastResponse <= (unanswered > 0 ? respondsForAfterFailure : respondsFor)
  return responds ? slotsOf(name) : firstSlots
}

/** Doubles up to `maxProbePause`. `jitter` in [0, 1) varies the pause by up to a fifth either way. */
const pauseAfter = (pauses: number, jitter: number): number => {
  const pause = Duration.min(Duration.times(probePause, 2 ** Math.min(pauses, 10)), maxProbePause)
  return Duration.toMillis(pause) * (0.8 + 0.4 * jitter)
}

type Attempted = Pick<Claim, "platform" | "host">

/** A bulkhead between platforms and hosts, with a circuit breaker per host. */
export interface Slots {
  /** The free slots at `now`, in milliseconds. A host with an open circuit has one free slot after its pause. */
  readonly free: (now: number) => ClaimSlots
  readonly take: (attempt: Attempted) => void
  /** Returns the change of the host's circuit, if any. */
  readonly end: (
    attempt: Attempted,
    lastCall: CallState["state"],
    now: number,
    jitter: number
  ) => "opened" | "closed" | undefined
  readonly openCircuits: (now: number) => number
}

export const makeSlots = (): Slots => {
  const onPlatform = Record.map(liveFacts, () => 0)
  const hosts = new Map<string, Host>()

  const forget = (now: number): void => {
    for (const [name, { inFlight, lastEnd }] of hosts) {
      if (inFlight === 0 && now - lastEnd > Duration.toMillis(keptFor)) hosts.delete(name)
    }
  }

  const freeOn = (name: string, host: Host, now: number): number => {
    if (!isOpen(host)) return Math.max(0, offeredSlots(name, host, now) - host.inFlight)
    return host.inFlight === 0 && now >= host.nextProbe ? 1 : 0
  }

  const count = ({ host, platform }: Attempted, change: 1 | -1): Host => {
    onPlatform[platform] += change
    const known = hosts.get(host) ?? {
      inFlight: 0,
      lastResponse: Number.NEGATIVE_INFINITY,
      unanswered: 0,
      pauses: 0,
      nextProbe: 0,
      lastEnd: 0
    }
    known.inFlight += change
    hosts.set(host, known)
    return known
  }

  return {
    free: (now) => {
      forget(now)
      return {
        platforms: Record.map(onPlatform, (inFlight, platform) => {
          // The platform's own host has the platform's name.
          const { hasOneHost } = liveFacts[platform]
          const shared = hasOneHost ? hosts.get(platform) : undefined
          if (shared !== undefined) return freeOn(platform, shared, now)
          return hasOneHost ? firstSlots : Math.max(0, slotsPerPlatform - inFlight)
        }),
        perHost: firstSlots,
        hosts: {
          ...Record.map(slotsOfOwnHost, () => firstSlots),
          ...Object.fromEntries([...hosts].map(([name, host]) => [name, freeOn(name, host, now)]))
        }
      }
    },
    take: (attempt) => void count(attempt, 1),
    end: (attempt, lastCall, now, jitter) => {
      const host = count(attempt, -1)
      const wasOpen = isOpen(host)
      host.lastEnd = now
      if (lastCall === "none") return undefined
      if (lastCall === "answered") {
        host.unanswered = 0
        host.pauses = 0
        host.lastResponse = now
        return wasOpen ? "closed" : undefined
      }
      host.unanswered++
      // The last attempt from before the circuit opened counts as a probe.
      if (isOpen(host) && host.inFlight === 0) host.nextProbe = now + pauseAfter(host.pauses++, jitter)
      return !wasOpen && isOpen(host) ? "opened" : undefined
    },
    openCircuits: (now) => {
      forget(now)
      return [...hosts.values()].filter(isOpen).length
    }
  }
}
