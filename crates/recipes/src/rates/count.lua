-- KEYS: a counter. ARGV: the limit, the period in milliseconds, and the number of requested actions.
-- Replies with 1 if they are allowed, else with 0; with the previous value of the key, or nil; and with the current time,
-- in milliseconds since the epoch.
local counter = KEYS[1]
local limit, period, quantity = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

-- Parses a number of up to 15 digits, in the form in which this script writes it.
local function number(text)
  local digits = string.match(text, '^-?([1-9][0-9]*)$')
  if text == '0' or digits and #digits <= 15 then return tonumber(text) end
end

-- Returns whether a/b is at most c/d. The products a*d and b*c can be larger than the integers that a number holds exactly,
-- so the integer parts are compared first, and then the reciprocals of the remaining fractions.
local function at_most(a, b, c, d)
  local left_a, left_c = a % b, c % d
  local whole_a, whole_c = (a - left_a) / b, (c - left_c) / d
  if whole_a ~= whole_c then return whole_a < whole_c end
  if left_a == 0 or left_c == 0 then return left_a == 0 end
  return at_most(d, left_c, b, left_a)
end

local stored = redis.pcall('GET', counter)
if type(stored) == 'table' then return stored end
local start, before, count
if stored then
  local texts = {string.match(stored, '^([^:]*):([^:]*):([^:]*)$')}
  if texts[3] then start, before, count = number(texts[1]), number(texts[2]), number(texts[3]) end
  if not (start and before and count) or before < 0 or count < 0 then
    return redis.error_reply('ERR the value is not a sliding counter')
  end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if not stored or now - start >= 2 * period then
  start, before, count = now - now % period, 0, 0
elseif now - start >= period then
  start, before, count = start + period, count, 0
end
if quantity > 0 then
  -- The part of the previous period that is still within the last period.
  local overlap = period - math.max(now - start, 0)
  local left = limit - count - quantity
  if left < 0 or not at_most(before, period, left, overlap) then return {0, stored, now} end
  local counts = string.format('%.0f:%.0f:%.0f', start, before, count + quantity)
  redis.call('SET', counter, counts, 'PXAT', string.format('%.0f', start + 2 * period))
end
return {1, stored, now}
