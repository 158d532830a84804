-- KEYS: a bucket. ARGV: its previous value, or an empty string if it did not exist; its new value; 1 if it must not expire,
-- else 0; and if 0, the time until which it is kept, or an empty string to leave the expiry unchanged.
-- Replies with 1; or with 0 if the value has changed, and then changes nothing.
local bucket, kept_until = KEYS[1], ARGV[4]
local held = redis.pcall('GET', bucket)
if type(held) == 'table' then return held end
if (held or '') ~= ARGV[1] then return 0 end
redis.call('SET', bucket, ARGV[2], 'KEEPTTL')
if ARGV[3] == '1' then
  redis.call('PERSIST', bucket)
elseif kept_until ~= '' then
  redis.call('PEXPIREAT', bucket, kept_until)
end
return 1
