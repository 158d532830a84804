-- KEYS: the set of open buckets, and the buckets to count. ARGV: the names of the open buckets.
-- Replies with the approximate number of users in the union of the buckets, and with the time in milliseconds since the
-- epoch; with nil if the open buckets are not those named. No key is written: PFCOUNT of a single key would store the count
-- in its value, so the first bucket is passed twice.
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
