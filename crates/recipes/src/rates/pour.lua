-- KEYS: a funnel. ARGV: the time in which a full funnel drains, and the time in which the requested amount drains.
-- Replies with 1 if the amount was added, else with 0; with the previous time at which the funnel would be empty, or nil;
-- and with the current time. All values are in microseconds, and times are since the epoch.
local funnel, depth, drop = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local stored = redis.pcall('GET', funnel)
if type(stored) == 'table' then return stored end
if stored and stored ~= '0' then
  local sign, digits = string.match(stored, '^(-?)([1-9][0-9]*)$')
  local most = sign == '-' and '9223372036854775808' or '9223372036854775807'
  if not digits or #digits > #most or #digits == #most and digits > most then
    return redis.error_reply('ERR value is not an integer or out of range')
  end
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local empty_at = math.max(now, tonumber(stored or 0)) + drop
if empty_at - now > depth then return {0, stored, now} end
if drop > 0 then
  local expires = string.format('%.0f', math.ceil(empty_at / 1000))
  redis.call('SET', funnel, string.format('%.0f', empty_at), 'PXAT', expires)
end
return {1, stored, now}
