import type { ZoneRules } from "../../domain/plain/timeZone.ts"
import { query, type Query } from "./query.ts"

export const zoneRules = (zone: string): Query<ZoneRules> => query(`/time-zones?name=${encodeURIComponent(zone)}`)
