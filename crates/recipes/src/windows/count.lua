-- KEYS: the set of open buckets, and the buckets to be counted. ARGV: the names of the open buckets.
-- Replies with about how many users the buckets have together, and with the time in milliseconds since the epoch; with nil if
-- other buckets are open than those named. No key is written: PFCOUNT of a single key would keep its count there.
local open = KEYS[1]
local number = redis.pcall('SCARD', open)
if type(number) == 'table' then return number end
if number ~= #ARGV then return false end
for _, name in ipairs(ARGV) do
  if redis.call('SISMEMBER', open, name) == 0 then return false end
end
local count = redis.pcall('PFCOUNT', KEYS[2], unpack(KEYS, 2))
if type(count) == 'table' then return count end
local time = redis.call('TIME')
return {count, time[1] * 1000 + math.floor(time[2] / 1000)}
